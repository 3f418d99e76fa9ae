export { type OperationId, queryParametersOf, type Route, routes } from './api-routes.ts';
export {
  BookingAccepted,
  BookingList,
  type BookingMeaning,
  BookingRequest,
  BookingState,
  BookingStatus,
  bodyMaxBytes,
  bookingMaxRows,
  DecidedReservation,
  ListedBooking,
  listPageBookings,
  listPageMaxBookings,
  meaningOf,
  Reservation,
  ReservationRequest,
  statusPageRows,
} from './booking.ts';
export { acceptedAtMsOf, bookingIdOf, bookingKeyFor, bookingKeyOf } from './booking-id.ts';
export { Chunk, chunkMaxBytes, chunkMaxRows, cutChunks } from './chunk.ts';
export type { Read } from './closed-reader.ts';
export { cutBy, cutPattern, cutText, rowCountsOf } from './cut.ts';
export { dayIndexKeys, dayShardOf, dayShards } from './day-index.ts';
export { Details, detailsMaxBytes } from './details.ts';
export { bookingDigest, chunkDigest } from './digest.ts';
export { Dispatch, dispatchIdOf, PacedReservation, Pacing } from './dispatch.ts';
export {
  DailyQuotaReport,
  type EventDetailType,
  eventBusName,
  eventDetails,
  eventIds,
  eventSchemaVersion,
  eventSource,
  MessageQuarantined,
  type QuarantineReason,
  QuotaThresholdReached,
  QuotaUsageRecorded,
  quarantineReasons,
  ReservationsRejected,
  reportStates,
  type UsherEvent,
} from './event.ts';
export { allFieldErrors, type FieldError, type FieldErrors, jsonPointer } from './field-errors.ts';
export {
  AccountId,
  BookingId,
  BookingMode,
  ChunkIndex,
  IdempotencyKey,
  Instant,
  PlainDate,
  Timezone,
} from './fields.ts';
export { HeaderItem, listKeyOf } from './header-item.ts';
export { Health } from './health.ts';
export { jsonMaxDepth, type ParsedJson, parseJson } from './json.ts';
export { InexactNumber } from './json-number.ts';
export { bodySchemas, eventSchemas, type JsonSchema, messageSchemas, schemasOf } from './json-schemas.ts';
export { InvalidJsonError, JsonText, jsonFault, jsonValue } from './json-text.ts';
export { openApiDocument } from './openapi.ts';
export {
  type ParameterError,
  Problem,
  type ProblemExtras,
  ProblemPage,
  problemMediaType,
  problemOf,
  problemPage,
  problemType,
  RequestId,
} from './problem.ts';
export { type ProblemName, problems } from './problem-list.ts';
export {
  keptQueue,
  maxDelaySeconds,
  pacingReserveSeconds,
  receiveBounds,
  workerBatchSize,
  workerTimeoutSeconds,
  workQueue,
} from './queue-settings.ts';
export { Quota } from './quota.ts';
export { readBookingRequest, readChunk, readPacing } from './readers.ts';
export { cleanTextRule, isCleanText, utf8Bytes } from './text.ts';
export { windowProblem } from './window-rule.ts';
