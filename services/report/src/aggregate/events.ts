/** Events without their repeats. */
export interface Distinct<E> {
  /** By id. */
  readonly events: readonly E[];
  /** Events that were there before. */
  readonly repeats: number;
}

/**
 * Leaves the repeats out: events whose id was there before. Of events that differ under one id, which no writer of Usher's
 * makes, the one stays whose text comes first, whatever their order.
 */
export function distinct<E extends { readonly metadata: { readonly id: string } }>(events: readonly E[]): Distinct<E> {
  const byId = new Map<string, E>();
  for (const event of events) {
    const known = byId.get(event.metadata.id);
    if (known === undefined || JSON.stringify(event) < JSON.stringify(known)) byId.set(event.metadata.id, event);
  }
  return { events: [...byId.values()], repeats: events.length - byId.size };
}
