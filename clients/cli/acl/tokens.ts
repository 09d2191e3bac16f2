import type { Schemas } from '../../typescript/typed/index.js'
import { tokenDefinition } from '../../../events/token.js'
import { remoteCommand, showCommand } from '../remote/command.js'
import { on, text } from '../remote/flags.js'
import { table, type Content } from '../remote/output.js'
import {
  flagInput,
  identityInputs,
  linksInput,
  textInput,
  textIn,
  type ResourceRun
} from '../resources/field-inputs.js'
import { byId } from '../resources/naming.js'
import { resourceGroup } from '../resources/resource-commands.js'
import { resourceText, type ResourceText } from '../resources/resource-text.js'
import { sourceText } from './explain.js'
import { impactCommand } from './impact.js'
import { usageCommand } from './usage.js'

const shown = {
  columns: [
    'AccessorID',
    'Policies',
    'Roles',
    ['Services', 'ServiceIdentities'],
    ['Nodes', 'NodeIdentities'],
    ['Expires', 'ExpirationTime'],
    'Description'
  ],
  details: [
    'AccessorID',
    'SecretID',
    'Namespace',
    'Description',
    'Local',
    ['Auth Method', 'AuthMethod'],
    'Specification',
    ['Create Time', 'CreateTime'],
    ['Expiration Time', 'ExpirationTime'],
    ['Last Used', 'LastUsed']
  ],
  blocks: ['Rules'],
  empty: { ExpirationTime: 'never' }
} satisfies Omit<ResourceText, 'fields'>

/** Returns the text of a token. */
export const tokenText = (token: Schemas['Token']): string =>
  resourceText({ ...shown, fields: tokenDefinition.fields }, { ...token })

export const byAccessor = byId({
  noun: 'token',
  list: '/v1/acl/tokens',
  idField: 'AccessorID',
  flag: 'accessorId',
  also: ['id'],
  argument: 'accessor',
  word: 'AccessorID'
})

/** @throws UsageError, Failed */
const accessorOf = async (run: ResourceRun): Promise<string> => (await byAccessor.targetOf(run)).id

const naming = {
  ...byAccessor,
  targetOf: (run: ResourceRun) =>
    run.flags['self'] === true ? { path: 'self', id: undefined } : byAccessor.targetOf(run)
}

const self = showCommand({
  summary: 'Show the token of the request.',
  examples: ['annals token self'],
  path: '/v1/acl/token/self',
  parameters: () => ({}),
  asText: tokenText
})

const clone = remoteCommand({
  summary: 'Create a token with the links and identities of another.',
  examples: ['annals token clone 14fae9d6 -description "of web, for the night"'],
  args: byAccessor.args,
  flags: {
    ...byAccessor.flags,
    description: text('text', 'description of the new token; that of the existing one by default')
  },
  run: async run => {
    const AccessorID = await accessorOf(run)
    const body = { Description: textIn(run.flags, 'description') }
    run.out.show(await run.write('put', '/v1/acl/token/{AccessorID}/clone', body, { AccessorID }), tokenText)
  }
})

const rotate = remoteCommand({
  summary: 'Replace a token by one with a new AccessorID and SecretID, and delete it after a grace period.',
  examples: [
    'annals token rotate 14fae9d6',
    'annals token rotate -grace 1h 14fae9d6',
    'annals token rotate -grace 0s 14fae9d6'
  ],
  args: byAccessor.args,
  flags: {
    ...byAccessor.flags,
    grace: text('duration', 'time that the replaced token stays valid: 0s to 720h (default: 10m)')
  },
  run: async run => {
    const AccessorID = await accessorOf(run)
    const query = { AccessorID, grace: textIn(run.flags, 'grace') }
    run.out.show(await run.write('put', '/v1/acl/token/{AccessorID}/rotate', undefined, query), tokenText)
  }
})

type Rights = Schemas['Rights']

const sourceOf = ({ Source }: Schemas['EffectiveRule']): string => {
  if (!Source) return ''
  const links = Source.Links.filter(({ Kind }) => Kind !== 'token').map(sourceText)
  return links.length === 0 ? sourceText(Source) : `${sourceText(Source)}, by way of ${links.join(', ')}`
}

const rightsText = ({ DefaultPolicy, Rules }: Rights): Content =>
  table(
    [['Rule', 'Text'], 'Level', 'Namespace', 'From'],
    [
      ...Rules.map(rule => ({ ...rule, From: sourceOf(rule) })),
      { Text: 'anything else', Level: DefaultPolicy, From: 'default policy' }
    ]
  )

const rights = remoteCommand({
  summary: 'Show the effective rules of a token, each with its source.',
  examples: [
    'annals token rights            the rules of the token of the request',
    'annals token rights 14fae9d6'
  ],
  args: byAccessor.args,
  flags: byAccessor.flags,
  isRead: true,
  run: async run => {
    const isOwn = run.flags['accessorId'] === undefined && run.args['accessor'] === undefined
    const AccessorID = isOwn ? 'self' : await accessorOf(run)
    run.out.show(await run.read('/v1/acl/token/{AccessorID}/rights', { AccessorID }), rightsText)
  }
})

const usage = usageCommand('token', byAccessor, '14fae9d6', (read, AccessorID, days) =>
  read('/v1/acl/token/{AccessorID}/usage', { AccessorID, days })
)

export const tokenGroup = resourceGroup({
  ...shown,
  definition: tokenDefinition,
  command: 'token',
  noun: 'token',
  summary: 'Create, show, update and delete tokens, which authenticate requests.',
  sample: '14fae9d6',
  path: '/v1/acl/token',
  list: '/v1/acl/tokens',
  naming,
  readFlags: { self: on('the token of the request') },
  inputs: {
    AccessorID: textInput('accessor', 'uuid', 'AccessorID; random by default', { update: 'omitted' }),
    SecretID: textInput('secret', 'uuid', 'SecretID; random by default', { update: 'omitted' }),
    Policies: linksInput('policy', 'policy', { addsWith: 'mergePolicies' }),
    Roles: linksInput('role', 'role', { addsWith: 'mergeRoles' }),
    ...identityInputs({ addsWith: 'mergeServiceIdentities' }, { addsWith: 'mergeNodeIdentities' }),
    Rules: undefined,
    Local: flagInput('local', 'valid only in the datacenter where it is created', { update: 'kept' }),
    AuthMethod: undefined,
    ExpirationTime: undefined,
    ExpirationTTL: textInput('expiresTtl', 'duration', 'lifetime, such as 30m or 8h', { update: 'omitted' })
  },
  filters: {
    policy: ['policy', text('id', 'only tokens that link to this policy')],
    role: ['role', text('id', 'only tokens that link to this role')],
    authmethod: ['authmethod', text('name', 'only tokens of logins with this auth method')]
  },
  texts: {
    create: {
      about:
        'Requests authenticate with its SecretID (--token, ANNALS_HTTP_TOKEN), which grants all permissions of the token.',
      examples: [
        'annals token create -description "of web" -policy-name web-read',
        'annals token create -service-identity web -expires-ttl 8h'
      ]
    },
    read: { examples: ['annals token read 14fae9d6', 'annals token read -self'] },
    update: {
      about:
        'Fields that no flag sets keep their values, unless --no-merge is given. Policies, roles and identities replace the existing ones\nunless a --merge flag is given.',
      examples: [
        'annals token update 14fae9d6 -description "of web, and its jobs"',
        'annals token update -accessor-id 14fae9d6 -merge-policies -policy-name web-write'
      ]
    },
    list: {
      summary: 'List tokens. `read` shows their secrets.',
      examples: ['annals token list', 'annals token list -authmethod ci']
    }
  },
  more: { clone, rotate, self, rights, impact: impactCommand('token'), usage }
})
