import type { Policy } from './store.ts';
import type { State, Strategy } from './strategies/strategy.ts';

/**
 * The states before a cost was taken, from those after it. It undoes {@link Rule.take} of a current state; a refund, which
 * a bucket bounds by what has not refilled since, is another thing.
 */
export function untaken(policies: readonly Policy[], states: readonly (State | undefined)[], cost: number) {
  if (cost === 0) return states;
  return policies.map(({ strategy }, i) => before(strategy, states[i], cost));
}

function before(strategy: Strategy, state: State | undefined, cost: number): State | undefined {
  switch (state?.kind) {
    case 'bucket':
      return strategy.kind === 'bucket' ? { ...state, tat: state.tat - cost * strategy.ticksPerCost } : state;
    case 'window':
    case 'sliding':
      return { ...state, used: state.used - cost };
    default:
      return state;
  }
}
