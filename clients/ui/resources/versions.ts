import type { Schemas } from '../../typescript/typed/index.js'

/** An operation of a JSON Patch (RFC 6902). */
export interface Change {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

export type Version = Schemas['Version']

export const versionViewFor = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
