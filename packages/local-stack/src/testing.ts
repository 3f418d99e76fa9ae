/** Parts of the stack and of the demo, for tests that run a stack in several processes and audit what it leaves. */
export { BookingFileError, type BulkBooking, type FileBookings, readBookingFiles } from './demo/booking-file.ts';
export { differences } from './demo/books.ts';
export { awaitDecisions, type DecidedBooking, UndecidedError } from './demo/decisions.ts';
export type { Evidence } from './demo/evidence.ts';
export { keepsPace } from './demo/pacing-check.ts';
export { patienceUntil } from './demo/patience.ts';
export { authorization, type SubmittedBooking } from './demo/submit.ts';
export { accountOfDevToken } from './dev-token.ts';
export { serveIntake } from './intake-server.ts';
export { loadPolicies } from './policies.ts';
