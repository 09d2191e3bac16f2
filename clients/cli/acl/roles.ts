import { group, remoteCommand, showCommand } from '../remote/command.js'
import { off, text, type FlagValues } from '../remote/flags.js'
import { details, table } from '../remote/output.js'
import {
  deleteCommand,
  findForUpdate,
  grantLines,
  grantsOf,
  identityFlags,
  idFlags,
  policyFlags,
  readCommand,
  type AclKind,
  type Grants
} from './acl-resources.js'

interface Role extends Grants {
  readonly ID: string
  readonly Name: string
  readonly Description: string
}

const asText = (shown: Role): string =>
  [details(['ID', 'Name', 'Namespace', 'Description'], shown), ...grantLines(shown)].join('\n')

const role: AclKind<Role> = {
  noun: 'role',
  path: '/v1/acl/role',
  listPath: '/v1/acl/roles',
  idOf: ({ ID }) => ID,
  listText: roles => table(['Name', 'ID', 'Policies', 'Description'], roles),
  asText
}

const contentFlags = { description: text('text', 'what it is for'), ...policyFlags, ...identityFlags }

const bodyOf = (flags: FlagValues<typeof contentFlags>, existing?: Role): object => ({
  Description: flags.description ?? existing?.Description ?? '',
  ...grantsOf(flags, existing)
})

const create = remoteCommand({
  summary: 'Make a role: policies and identities that tokens share.',
  examples: [
    'annals role create -name web -policy-name web-read -policy-name web-write',
    'annals role create -name web -service-identity web:dc1,dc2'
  ],
  flags: { name: text('name', 'its name: letters, digits, - and _'), ...contentFlags },
  run: async ({ write, out, flags }) =>
    out.show(await write<Role>('PUT', role.path, { Name: flags.name ?? '', ...bodyOf(flags) }), asText)
})

const update = remoteCommand({
  summary: 'Change a role.',
  about:
    'Policies and identities are added to those that it has, and what no flag says stays as it is, unless --no-merge is given.',
  examples: [
    'annals role update -name web -policy-name web-write',
    'annals role update -id 23095777 -no-merge -policy-name web-read'
  ],
  flags: { ...idFlags(role), ...contentFlags, merge: off('replace all of it by what the flags say') },
  run: async ({ get, write, out, flags }) => {
    const before = await findForUpdate(get, role, flags)
    const content = bodyOf(flags, flags.merge ? before : undefined)
    const body = { ID: before.ID, Name: flags.name ?? before.Name, ...content }
    out.show(await write<Role>('PUT', `${role.path}/${before.ID}`, body), asText)
  }
})

const list = showCommand({
  summary: 'List roles.',
  examples: ['annals role list', 'annals role list -policy 2b2b769b-e960-463b-99ea-0d2ff1b0e0a4'],
  flags: { policy: text('id', 'only those that link to this policy') },
  path: role.listPath,
  query: ({ flags: { policy } }) => ({ policy }),
  asText: role.listText
})

export const roleGroup = group({
  summary: 'Make and change roles: policies and identities that tokens share.',
  examples: [
    'annals role create -name web -policy-name web-read',
    'annals role read web',
    'annals role update -name web -policy-name web-write',
    'annals role list'
  ],
  commands: {
    create,
    read: readCommand(role, 'annals role read web'),
    update,
    delete: deleteCommand(role, 'annals role delete web'),
    list
  }
})
