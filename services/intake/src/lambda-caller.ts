import { type } from 'arktype';
import type { Context } from 'hono';
import { type Authenticate, callerOf } from './caller.ts';

// The part of an HTTP API's event (payload format 2.0) that its JWT authorizer writes; claims arrive as strings.
const JwtEvent = type({
  requestContext: {
    authorizer: { jwt: { claims: type({ '[string]': 'unknown' }) } },
  },
});

/** Finds the caller that the JWT authorizer has verified: the account in one claim. */
export function jwtCaller(accountClaim: string): Authenticate {
  return (context: Context) => {
    const event = JwtEvent(context.env?.event);
    if (event instanceof type.errors) return 'unauthenticated';
    const { claims } = event.requestContext.authorizer.jwt;
    const accountId = Object.hasOwn(claims, accountClaim) ? claims[accountClaim] : undefined;
    return callerOf(accountId);
  };
}
