import { InvalidArgumentError } from '../errors.ts';
import type { Decision, PolicyStatus, RefusalReason } from './decision.ts';
import type { LimitStore, Limits, Seen } from './store.ts';

/** The take behind a decision, for its refund. */
export interface Take {
  readonly store: LimitStore;
  readonly limits: Limits;
  /** The key just after the cost was taken. */
  readonly seen: Seen;
}

const noPolicies: readonly PolicyStatus[] = [];

/**
 * A decision that can be handed out. Its maker and its take are private fields, and not entries of a weak map, which would
 * cost more than all else that a check does. Its fields are set one by one, since each object more costs as well.
 */
export class MadeDecision implements Decision {
  allowed = false;
  key = '';
  cost = 0;
  limit = 0;
  remaining = 0;
  retryAfterMs = 0;
  resetsAt = 0;
  policies = noPolicies;
  degraded = false;
  declare reason?: RefusalReason;
  #maker: object | undefined;
  #take: Take | undefined;

  /** Hands a decision out, under the name of its maker and with what was taken for it. */
  static handOut(decision: Decision, maker: object, take: Take | undefined): Decision {
    const made = #maker in decision ? decision : Object.assign(new MadeDecision(), decision);
    made.#maker = maker;
    made.#take = take;
    return made;
  }

  /**
   * The take behind a decision, once: a second time there is none.
   *
   * @throws InvalidArgumentError for what is no decision of this maker
   */
  static releaseTake(decision: unknown, maker: object): Take | undefined {
    if (!(decision instanceof MadeDecision) || decision.#maker !== maker) {
      throw new InvalidArgumentError('decision must be one that this limiter made');
    }
    const take = decision.#take;
    decision.#take = undefined;
    return take;
  }
}
