// Tokens as the commands about them find and print them.
import { text } from '../remote/flags.js'
import { fields } from '../remote/output.js'
import { linkLines, namesOf, nodeLines, serviceLines } from './grants.js'
import { onlyOne, resolveIdPrefix, type Get, type Grants, type AclKind, type Link } from './acl-resources.js'

export interface Token extends Grants {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly Roles?: readonly Link[] | null
  readonly Local: boolean
  readonly AuthMethod?: string
  readonly Namespace?: string
  readonly ExpirationTime?: string
  readonly CreateTime?: string
  readonly LastUsed?: string
  readonly Rules?: string
}

export const tokenText = ({ Policies, Roles, ServiceIdentities, NodeIdentities, ...token }: Token): string =>
  [
    fields([
      ['AccessorID', token.AccessorID],
      ['SecretID', token.SecretID],
      ['Namespace', token.Namespace],
      ['Description', token.Description],
      ['Local', token.Local],
      ['Auth Method', token.AuthMethod],
      ['Create Time', token.CreateTime],
      ['Expiration Time', token.ExpirationTime],
      ['Last Used', token.LastUsed]
    ]),
    ...linkLines('Policies', Policies),
    ...linkLines('Roles', Roles),
    ...serviceLines(ServiceIdentities),
    ...nodeLines(NodeIdentities),
    ...(token.Rules ? ['Rules:', token.Rules.trimEnd()] : [])
  ].join('\n')

export const token: AclKind<Token> = {
  noun: 'token',
  path: '/v1/acl/token',
  listPath: '/v1/acl/tokens',
  idOf: ({ AccessorID }) => AccessorID,
  heading: ['AccessorID', 'Policies', 'Roles', 'Expires', 'Description'],
  row: ({ AccessorID, Description, Policies, Roles, ExpirationTime }) => [
    AccessorID,
    namesOf(Policies),
    namesOf(Roles),
    ExpirationTime ?? 'never',
    Description
  ],
  asText: tokenText
}

/** The flag that names a token. */
export const accessorFlags = {
  accessorId: text('id', 'AccessorID of the token, or its beginning', { also: ['id'] })
}

/** The accessor that a flag or an argument names. @throws UsageError, Failed */
export const accessorOf = (
  get: Get,
  { accessorId }: { readonly accessorId: string | undefined },
  which: string | undefined
): Promise<string> => resolveIdPrefix(get, token, onlyOne('token', 'AccessorID', accessorId, which))
