/** The parts of dynalite 4 below its server, as far as they are used here. */
declare module 'dynalite/actions/*' {
  type Done = (error: (Error & { statusCode?: number; body?: object }) | null | undefined, answer?: object) => void;

  /** Does one operation on a store; its `data` have been checked. Whatever is asked of the store may answer at once. */
  export default function act(store: object, data: object, done: Done): void;
}

declare module 'dynalite/validations/index.js' {
  const validations: {
    checkTypes(data: object, types: object): object;
    checkValidations(data: object, types: object, custom: unknown, store: object): void;
  };
  export default validations;
}

declare module 'dynalite/validations/*' {
  /** The fields of an operation's request, and what else is checked of them. */
  const rules: { readonly types: object; readonly custom: unknown };
  export default rules;
}
