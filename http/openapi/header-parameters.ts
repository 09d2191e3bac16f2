// Headers of requests to many routes, and of their responses.
import { REFUSALS } from '../../actors/refusal-codes.js'
import { CHECKPOINT_HEADER } from '../wire/log-evidence.js'
import {
  IDEMPOTENCY_HEADER,
  storesResponses,
  LONGEST_KEY,
  SHORTEST_SECRET_KEY
} from '../wire/idempotency/key.js'
import { REASON_HEADER } from '../wire/reason.js'
import type { Route } from '../wire/route.js'

const idempotencyKey = (minLength: number, example: string) => ({
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  schema: { type: 'string', minLength, maxLength: LONGEST_KEY, pattern: '^[\\x20-\\x7e]+$' },
  description:
    'Sent again with the same key and body within `idempotency.window`, the request is not done again, and gets its first answer; with another body it is refused',
  example
})

/** By component name. */
export const HEADER_PARAMETERS = {
  IdempotencyKey: idempotencyKey(1, '01J8QX5N7V3Y9Z2K4M6P8R0T1W'),
  SecretIdempotencyKey: idempotencyKey(SHORTEST_SECRET_KEY, '0f2c7f0e-3f5b-4b7c-9a53-6d5f1f0d9c21'),
  Reason: {
    name: REASON_HEADER,
    in: 'header',
    schema: { type: 'string', minLength: 1 },
    description:
      'Why the write is made, kept with its commit: 1 to 512 printable characters, other than ASCII as RFC 8187 writes them; a must where `reason.required` says so',
    example: 'OPS-12: the old port is blocked'
  },
  Checkpoint: {
    name: CHECKPOINT_HEADER,
    in: 'header',
    schema: { type: 'string', enum: ['true'] },
    description: 'Answer when a signed checkpoint covers the write, and with it',
    example: 'true'
  }
} as const

const parameter = (name: keyof typeof HEADER_PARAMETERS): object => ({
  $ref: `#/components/parameters/${name}`
})

/** Headers of responses, by component name. */
export const RESPONSE_HEADERS = {
  Index: {
    description: 'Index of the newest change that the answer shows; `index` of the next blocking query',
    schema: { type: 'integer', minimum: 0 },
    example: 42
  },
  Link: {
    description: 'With `limit`, where there is more: the next page, as `<path>; rel="next"` (RFC 8288)',
    schema: { type: 'string' },
    example: '</v1/acl/policies?limit=100&after=4b1b2b5c-3d6c-4a6e-8a0d-0d2ff1b0e0a4>; rel="next"'
  },
  Checkpoint: {
    description:
      'Where the request asked for it and one could be made: the text of a signed checkpoint that covers the write',
    schema: { type: 'string', contentEncoding: 'base64' }
  },
  ErrorCode: {
    description: 'Code of the refusal. Codes never change; texts may',
    schema: { type: 'string', enum: Object.keys(REFUSALS) },
    example: 'acl.policy.name-taken'
  }
} as const

/** Returns the header parameters of a route. */
export const headerParametersOf = (route: Route): object[] => [
  ...(route.method === 'GET' ? [] : [parameter('Reason'), parameter('Checkpoint')]),
  ...(storesResponses(route)
    ? [parameter(route.idempotency === 'by the key' ? 'SecretIdempotencyKey' : 'IdempotencyKey')]
    : []),
  ...Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    schema: { type: 'string' },
    description
  }))
]
