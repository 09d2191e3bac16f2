// Headers that requests to many routes may bear.
import { IDEMPOTENCY_HEADER, keepsAnswers, LONGEST_KEY } from '../wire/idempotency/key.js'
import type { Route } from '../wire/route.js'

/** By their names among the components of the document. */
export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    name: IDEMPOTENCY_HEADER,
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: LONGEST_KEY, pattern: '^[\\x20-\\x7e]+$' },
    description:
      'Sent again with the same key and body within `idempotency.window`, the request is not done again, and gets its first answer; with another body it is refused',
    example: '01J8QX5N7V3Y9Z2K4M6P8R0T1W'
  }
} as const

/** Those that a route takes. */
export const headerParametersOf = (route: Route): object[] => [
  ...(keepsAnswers(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ...Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    schema: { type: 'string' },
    description
  }))
]
