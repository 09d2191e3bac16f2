// `annals token create` and `annals token update`
import { remoteCommand } from '../remote/command.js'
import { off, on, optional, text } from '../remote/flags.js'
import {
  identityFlags,
  isSameLink,
  isSameNode,
  isSameService,
  linksOf,
  merged,
  policyFlags,
  roleFlags
} from './grants.js'
import { accessorFlags, accessorOf, token, tokenText, type Token } from './token-kind.js'

const contentFlags = {
  description: text('text', 'what it is for'),
  ...policyFlags,
  ...roleFlags,
  ...identityFlags
}

export const create = remoteCommand({
  summary: 'Make a token.',
  about: 'Its SecretID is what requests bear (--token, ANNALS_HTTP_TOKEN): whoever knows it has its rights.',
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
  run: async ({ send, out, flags }) => {
    const { accessor, secret, expiresTtl } = flags
    const body = {
      Description: flags.description ?? '',
      Policies: linksOf(flags.policyId, flags.policyName),
      Roles: linksOf(flags.roleId, flags.roleName),
      ServiceIdentities: flags.serviceIdentity,
      NodeIdentities: flags.nodeIdentity,
      Local: flags.local,
      ...(accessor === undefined ? {} : { AccessorID: accessor }),
      ...(secret === undefined ? {} : { SecretID: secret }),
      ...(expiresTtl === undefined ? {} : { ExpirationTTL: expiresTtl })
    }
    out.show(await (await send('PUT', token.path, { body })).json<Token>(), tokenText)
  }
})

/** What a list becomes: added to, replaced by what is given, or left where nothing is. */
const changed = <Element>(
  before: readonly Element[] | null | undefined,
  given: readonly Element[],
  isMerged: boolean,
  isSame: (one: Element, other: Element) => boolean
): readonly Element[] => {
  if (isMerged) return merged(before, given, isSame)
  return given.length > 0 ? given : (before ?? [])
}

export const update = remoteCommand({
  summary: 'Change a token.',
  about:
    'What no flag says stays as it is, unless --no-merge is given. Policies, roles and identities that are given replace those of their\nkind, unless they are merged.',
  examples: [
    'annals token update 14fae9d6 -description "of web, and its jobs"',
    'annals token update -accessor-id 14fae9d6 -merge-policies -policy-name web-write'
  ],
  args: { accessor: optional('AccessorID of the token, or its beginning, in place of the flag') },
  flags: {
    ...accessorFlags,
    ...contentFlags,
    mergePolicies: on('add the policies to those that it has'),
    mergeRoles: on('add the roles to those that it has'),
    mergeServiceIdentities: on('add the services to those that it has'),
    mergeNodeIdentities: on('add the nodes to those that it has'),
    merge: off('empty what no flag says')
  },
  run: async ({ get, send, out, flags, args }) => {
    const path = `${token.path}/${await accessorOf(get, flags, args.accessor)}`
    const before = await (await get(path)).json<Token>()
    const kept = flags.merge ? before : undefined
    const policies = linksOf(flags.policyId, flags.policyName)
    const roles = linksOf(flags.roleId, flags.roleName)
    const body = {
      Description: flags.description ?? kept?.Description ?? '',
      Policies: changed(kept?.Policies, policies, flags.mergePolicies, isSameLink),
      Roles: changed(kept?.Roles, roles, flags.mergeRoles, isSameLink),
      ServiceIdentities: changed(
        kept?.ServiceIdentities,
        flags.serviceIdentity,
        flags.mergeServiceIdentities,
        isSameService
      ),
      NodeIdentities: changed(
        kept?.NodeIdentities,
        flags.nodeIdentity,
        flags.mergeNodeIdentities,
        isSameNode
      ),
      Local: before.Local
    }
    out.show(await (await send('PUT', path, { body })).json<Token>(), tokenText)
  }
})
