import { group, remoteCommand, showCommand } from '../remote/command.js'
import { on, optional, text, off } from '../remote/flags.js'
import { details, table, type Link } from '../remote/output.js'
import {
  changed,
  grantLines,
  grantsOf,
  identityFlags,
  isSameLink,
  linksOf,
  onlyOne,
  policyFlags,
  resolveIdPrefix,
  roleFlags,
  sourceText,
  type AclKind,
  type Get,
  type Grants,
  type RuleSource
} from './acl-resources.js'

export interface Token extends Grants {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly Roles?: readonly Link[] | null
  readonly Local: boolean
  readonly ExpirationTime?: string
  readonly Rules?: string
}

const COLUMNS = [
  'AccessorID',
  'SecretID',
  'Namespace',
  'Description',
  'Local',
  ['Auth Method', 'AuthMethod'],
  ['Create Time', 'CreateTime'],
  ['Expiration Time', 'ExpirationTime'],
  ['Last Used', 'LastUsed']
] as const

export const tokenText = ({ Rules, ...others }: Token): string =>
  [details(COLUMNS, others), ...grantLines(others), ...(Rules ? ['Rules:', Rules.trimEnd()] : [])].join('\n')

const token: AclKind<Token> = {
  noun: 'token',
  path: '/v1/acl/token',
  listPath: '/v1/acl/tokens',
  idOf: ({ AccessorID }) => AccessorID,
  listText: tokens =>
    table(
      ['AccessorID', 'Policies', 'Roles', ['Expires', 'ExpirationTime'], 'Description'],
      tokens.map(listed => ({ ...listed, ExpirationTime: listed.ExpirationTime ?? 'never' }))
    ),
  asText: tokenText
}

const accessorFlags = {
  accessorId: text('id', 'AccessorID of the token, or its beginning', { also: ['id'] })
}

/** @throws UsageError, Failed */
const accessorOf = (
  get: Get,
  { accessorId }: { readonly accessorId: string | undefined },
  which: string | undefined
): Promise<string> => resolveIdPrefix(get, token, onlyOne('token', 'AccessorID', accessorId, which))

const which = { accessor: optional('AccessorID of the token, or its beginning, in place of the flag') }

const contentFlags = {
  description: text('text', 'what it is for'),
  ...policyFlags,
  ...roleFlags,
  ...identityFlags
}

const create = remoteCommand({
  summary: 'Make a token.',
  about:
    'Its SecretID is what requests bear (--token, ANNALS_HTTP_TOKEN): it grants all permissions of the token.',
  examples: [
    'annals token create -description "of web" -policy-name web-read',
    'annals token create -service-identity web -expires-ttl 8h'
  ],
  flags: {
    ...contentFlags,
    accessor: text('uuid', 'AccessorID, in place of one made at random'),
    secret: text('uuid', 'SecretID, in place of one made at random'),
    local: on('valid only in the datacenter where it is made'),
    expiresTtl: text('duration', 'how long it is valid, such as 30m or 8h')
  },
  run: async ({ write, out, flags }) => {
    const { accessor, secret, expiresTtl } = flags
    const body = {
      Description: flags.description ?? '',
      ...grantsOf(flags),
      Roles: linksOf(flags.roleId, flags.roleName),
      Local: flags.local,
      AccessorID: accessor,
      SecretID: secret,
      ExpirationTTL: expiresTtl
    }
    out.show(await write<Token>('PUT', token.path, body), tokenText)
  }
})

const update = remoteCommand({
  summary: 'Change a token.',
  about:
    'What no flag says stays as it is, unless --no-merge is given. Policies, roles and identities that are given replace those of their\nkind, unless they are merged.',
  examples: [
    'annals token update 14fae9d6 -description "of web, and its jobs"',
    'annals token update -accessor-id 14fae9d6 -merge-policies -policy-name web-write'
  ],
  args: which,
  flags: {
    ...accessorFlags,
    ...contentFlags,
    mergePolicies: on('add the policies to those that it has'),
    mergeRoles: on('add the roles to those that it has'),
    mergeServiceIdentities: on('add the services to those that it has'),
    mergeNodeIdentities: on('add the nodes to those that it has'),
    merge: off('empty what no flag says')
  },
  run: async ({ read, write, get, out, flags, args }) => {
    const path = `${token.path}/${await accessorOf(get, flags, args.accessor)}`
    const before = await read<Token>(path)
    const existing = flags.merge ? before : undefined
    const body = {
      Description: flags.description ?? existing?.Description ?? '',
      ...grantsOf(flags, existing, flags),
      Roles: changed(existing?.Roles, linksOf(flags.roleId, flags.roleName), isSameLink, flags.mergeRoles),
      Local: before.Local
    }
    out.show(await write<Token>('PUT', path, body), tokenText)
  }
})

const show = remoteCommand({
  summary: 'Show a token.',
  examples: ['annals token read 14fae9d6', 'annals token read -self'],
  args: which,
  flags: { ...accessorFlags, self: on('the token that asks') },
  run: async ({ read, get, out, flags, args }) => {
    const path = flags.self ? 'self' : await accessorOf(get, flags, args.accessor)
    out.show(await read<Token>(`${token.path}/${path}`), tokenText)
  }
})

const self = showCommand({
  summary: 'Show the token that asks.',
  examples: ['annals token self'],
  path: `${token.path}/self`,
  asText: tokenText
})

const remove = remoteCommand({
  summary: 'Delete a token.',
  examples: ['annals token delete 14fae9d6-bf21-4003-8506-0d2ff1b0e0a4'],
  args: which,
  flags: accessorFlags,
  run: async ({ get, send, out, flags, args }) => {
    const accessor = await accessorOf(get, flags, args.accessor)
    await send('DELETE', `${token.path}/${accessor}`)
    out.done(`Token "${accessor}" deleted successfully`)
  }
})

const clone = remoteCommand({
  summary: 'Make a token with the links and identities of another.',
  examples: ['annals token clone 14fae9d6 -description "of web, for the night"'],
  args: which,
  flags: { ...accessorFlags, description: text('text', 'what the new one is for (default: as the old one)') },
  run: async ({ write, get, out, flags, args }) => {
    const accessor = await accessorOf(get, flags, args.accessor)
    const body = flags.description === undefined ? {} : { Description: flags.description }
    out.show(await write<Token>('PUT', `${token.path}/${accessor}/clone`, body), tokenText)
  }
})

const list = showCommand({
  summary: 'List tokens. Their secrets are shown by `read`.',
  examples: ['annals token list', 'annals token list -authmethod ci'],
  flags: {
    policy: text('id', 'only those that link to this policy'),
    role: text('id', 'only those that link to this role'),
    authmethod: text('name', 'only those that logins with this method have made')
  },
  path: token.listPath,
  query: ({ flags: { policy, role, authmethod } }) => ({ policy, role, authmethod }),
  asText: token.listText
})

interface Rule {
  readonly Text: string
  readonly Level: string
  readonly Namespace: string
  readonly Source?: RuleSource & { readonly Links: readonly RuleSource[] }
}

interface Rights {
  readonly DefaultPolicy: string
  readonly Rules: readonly Rule[]
}

const sourceOf = ({ Source }: Rule): string => {
  if (!Source) return ''
  const links = Source.Links.filter(({ Kind }) => Kind !== 'token').map(sourceText)
  return links.length === 0 ? sourceText(Source) : `${sourceText(Source)}, by way of ${links.join(', ')}`
}

const rightsText = ({ DefaultPolicy, Rules }: Rights): string =>
  `${table(
    [['Rule', 'Text'], 'Level', 'Namespace', 'From'],
    Rules.map(rule => ({ ...rule, From: sourceOf(rule) }))
  )}\nAnything else: ${DefaultPolicy}`

const rights = remoteCommand({
  summary: 'Show the rules that count for a token, each with where it comes from.',
  examples: ['annals token rights            those of the token that asks', 'annals token rights 14fae9d6'],
  args: which,
  flags: accessorFlags,
  run: async ({ read, get, out, flags, args }) => {
    const isOwn = flags.accessorId === undefined && args.accessor === undefined
    const path = isOwn ? 'self' : await accessorOf(get, flags, args.accessor)
    out.show(await read<Rights>(`${token.path}/${path}/rights`), rightsText)
  }
})

export const tokenGroup = group({
  summary: 'Make and change tokens: who may ask.',
  examples: [
    'annals token create -description "of web" -policy-name web-read',
    'annals token list',
    'annals token rights 14fae9d6',
    'annals token delete 14fae9d6'
  ],
  commands: { create, read: show, update, delete: remove, clone, list, self, rights }
})
