/** Parts of the stack and of the demo, for tests that run a stack in several processes and audit what it leaves. */

export { differences } from './demo/audit/books.ts';
export { keepsPace } from './demo/audit/pacing-check.ts';
export { type BulkBooking, type FileBookings, readBookingFiles } from './demo/input/booking-file.ts';
export { awaitDecisions, type DecidedBooking } from './demo/run/decisions.ts';
export type { Evidence } from './demo/run/evidence.ts';
export { patienceUntil } from './demo/run/patience.ts';
export { authorization, type SubmittedBooking } from './demo/run/submit.ts';
export { devTokenCaller } from './dev-token.ts';
export { BookingFileError, UndecidedError } from './errors.ts';
export { serveIntake } from './intake-server.ts';
export { loadPolicies } from './policies.ts';
export { reportPorts } from './report-ports.ts';
