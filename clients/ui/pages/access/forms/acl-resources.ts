import type { Schemas } from '../../../../typescript/typed/index.js'

export type Link = Schemas['Link']

export type Policy = Schemas['Policy']

export type Grants = Partial<Pick<Schemas['Token'], 'Policies' | 'ServiceIdentities' | 'NodeIdentities'>>

export type Role = Schemas['Role']

export type Token = Omit<Schemas['Token'], 'SecretID'>

export type CreatedToken = Schemas['Token']

export type BindingRule = Schemas['BindingRule']

/** Splits a list of names at its commas. */
export const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)
