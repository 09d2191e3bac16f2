// What stands in for the framework's own compilers of schemas: bodies are checked in `body.ts`, answers are written as bytes.
import type { FastifyServerOptions } from 'fastify'

const unused = (): never => {
  throw new Error('a route was given a schema')
}

/** With these, Fastify does not load its validator and its serialiser. Its routes get no schemas. */
export const noSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: () => unused, buildSerializer: () => unused }
}
