/** The table of all items: its keys, its TTL attribute and its one index. */
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
} as const;
