/** The table of all items: its keys, its TTL attribute and its indexes. */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttlAttribute: 'expiresAt',
  /** Sparse: only headers carry its keys. They never change after the first put, so later writes do not touch it. */
  byAccount: {
    indexName: 'byAccount',
    partitionKey: 'listAccountId',
    sortKey: 'listKey',
    projection: 'KEYS_ONLY',
  },
  /**
   * Sparse: only headers and policies carry its keys, headers by the date of their window. It has what never changes of a
   * header, so later writes do not touch it, and the whole policy (ADR 0022).
   */
  byDay: {
    indexName: 'byDay',
    partitionKey: 'dayKey',
    sortKey: 'daySort',
    projection: 'INCLUDE',
    nonKeyAttributes: ['acceptedAt', 'window', 'total', 'cut', 'policy'],
  },
} as const;
