/** Headers of a request, as node:http tells them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An answer of dynalite's as it goes over the wire. */
export interface DynaliteReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** A message to the thread that runs dynalite. `store` and `call` are numbers that the sender chose. */
export type ToThread =
  | { readonly kind: 'open'; readonly store: number; readonly path: string | undefined }
  | {
      readonly kind: 'call';
      readonly store: number;
      readonly call: number;
      readonly headers: RequestHeaders;
      readonly body: Uint8Array;
    }
  | { readonly kind: 'close'; readonly store: number; readonly call: number };

/** A message from that thread: the end of a call, with dynalite's answer where it was a request. */
export interface FromThread {
  readonly call: number;
  readonly reply: DynaliteReply | undefined;
}
