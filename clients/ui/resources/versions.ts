import type { Schemas } from '../../typescript/typed/index.js'

export type Version = Schemas['Version']

export const versionViewFor = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
