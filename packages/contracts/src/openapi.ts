import { examples, problemExtras } from './api-examples.ts';
import { type HeaderName, headerDescriptions, parameters, problemHeaders, type Route, routes } from './api-routes.ts';
import { componentSchemas } from './components.ts';
import type { bodySchemas } from './json-schemas.ts';
import { problemMediaType, problemOf } from './problem.ts';
import { type ProblemName, problems } from './problem-list.ts';
import { problemSchemaName } from './problem-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of the HTTP API, made from the schemas that check it. Served at `/openapi.json`. */
export const openApiDocument: Json = {
  openapi: '3.1.0',
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  info: {
    title: 'Usher',
    version: '1.0.0',
    description: 'Bulk bookings, decided per account within a daily quota.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  // Relative: the API is wherever the document came from.
  servers: [{ url: '/' }],
  security: [{ bearer: [] }],
  paths: pathsOf(routes),
  components: {
    schemas: componentSchemas,
    parameters,
    headers: Object.fromEntries(
      Object.entries(headerDescriptions).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  },
};

function pathsOf(list: readonly Route[]): Json {
  const byPath = Map.groupBy(list, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, operations]) => [
      path,
      Object.fromEntries(operations.map((route) => [route.method, operationOf(route)])),
    ]),
  );
}

function operationOf(route: Route): Json {
  const { operationId, summary, description, isPublic, body, success, isRevalidated } = route;
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isPublic ? { security: [] } : {}),
    ...(route.parameters === undefined
      ? {}
      : { parameters: route.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      [success.status]: {
        description: success.description,
        ...headersOf(['X-Request-Id', ...(success.headers ?? [])]),
        content:
          success.body === undefined ? { 'application/json': { schema: { type: 'object' } } } : contentOf(success.body),
        ...(success.links && { links: success.links }),
      },
      ...(isRevalidated && {
        304: {
          description: 'The client has this content.',
          ...headersOf(['X-Request-Id', ...(success.headers ?? [])]),
        },
      }),
      ...problemResponses(route.problems),
    },
  };
}

/** One answer per status; problems that share a status are its examples. */
function problemResponses(names: readonly ProblemName[]): Json {
  const byStatus = Map.groupBy(names, (name) => problems[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, sharing]) => [
      status,
      {
        description: sharing.map((name) => `${problems[name].title}.`).join(' '),
        ...headersOf(['X-Request-Id', ...sharing.flatMap((name) => problemHeaders[name] ?? [])]),
        content: {
          [problemMediaType]: {
            schema: oneOf(sharing.map(problemSchemaName)),
            examples: Object.fromEntries(sharing.map((name) => [name, { value: problemExample(name) }])),
          },
        },
      },
    ]),
  );
}

function oneOf(names: readonly string[]): Json {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return refs.length === 1 ? { ...refs[0] } : { oneOf: refs };
}

function problemExample(name: ProblemName): Json {
  return problemOf(name, `${problems[name].title}.`, { requestId: 'bWpx2hUzliAEJVg=', ...problemExtras[name] });
}

function contentOf(schema: keyof typeof bodySchemas): Json {
  const example = Object.entries(examples).find(([name]) => name === schema)?.[1];
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, ...(example && { example }) } };
}

function headersOf(names: readonly HeaderName[]): Json {
  return {
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
}
