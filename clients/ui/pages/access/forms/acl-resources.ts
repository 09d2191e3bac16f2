export interface Link {
  readonly ID: string
  readonly Name: string
}

interface ServiceIdentity {
  readonly ServiceName: string
  readonly Datacenters?: readonly string[]
}

interface NodeIdentity {
  readonly NodeName: string
  readonly Datacenter: string
}

interface Stored {
  readonly ModifyIndex: number
}

export interface Policy extends Stored {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  readonly Datacenters: readonly string[] | null
}

export interface Grants {
  readonly Policies?: readonly Link[] | null
  readonly ServiceIdentities?: readonly ServiceIdentity[] | null
  readonly NodeIdentities?: readonly NodeIdentity[] | null
}

export interface Role extends Grants, Stored {
  readonly ID: string
  readonly Name: string
  readonly Description: string
}

export interface Token extends Grants, Stored {
  readonly AccessorID: string
  readonly Description: string
  readonly Roles?: readonly Link[]
  readonly Local: boolean
  readonly AuthMethod?: string
  readonly ExpirationTime?: string
  readonly CreateTime: string
  /** In the legacy syntax. */
  readonly Rules?: string
  readonly LastUsed?: string
}

export interface CreatedToken extends Token {
  readonly SecretID: string
}

export interface BindingRule extends Stored {
  readonly ID: string
  readonly AuthMethod: string
  readonly Description: string
  readonly Selector: string
  readonly BindType: string
  readonly BindName: string
}

/** Splits a list of names at its commas. */
export const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)
