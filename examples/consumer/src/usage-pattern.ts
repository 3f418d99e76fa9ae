/** A pattern of EventBridge, as its API takes it. */
export interface UsagePattern {
  readonly source: string[];
  readonly 'detail-type': string[];
  readonly detail?: { readonly data: { readonly accountId: string[] } };
}

/** The pattern of usage events, of some accounts or of all. */
export function usagePattern(accountIds?: readonly string[]): UsagePattern {
  return {
    source: ['usher.quota'],
    'detail-type': ['Quota Usage Recorded'],
    ...(accountIds === undefined ? {} : { detail: { data: { accountId: [...accountIds] } } }),
  };
}
