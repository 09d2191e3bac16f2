import type { Console } from '../console.js'
import { Failed } from '../failures.js'
import { group, remoteCommand } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { required, off, text, texts, type FlagValues } from '../remote/flags.js'
import { details, safe, table } from '../remote/output.js'
import {
  deleteCommand,
  listCommand,
  readCommand,
  findForUpdate,
  idFlags,
  type AclKind
} from './acl-resources.js'

interface Policy {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Datacenters?: readonly string[] | null
  readonly Rules?: string
}

const COLUMNS = ['ID', 'Name', 'Namespace', 'Description', 'Datacenters'] as const

const asText = ({ Rules = '', ...others }: Policy): string =>
  [details(COLUMNS, others), 'Rules:', Rules.trimEnd()].join('\n')

const policy: AclKind<Policy> = {
  noun: 'policy',
  path: '/v1/acl/policy',
  listPath: '/v1/acl/policies',
  idOf: ({ ID }) => ID,
  listText: policies =>
    table(
      ['Name', 'ID', 'Datacenters', 'Description'],
      policies.map(listed => ({ ...listed, Datacenters: listed.Datacenters?.join(', ') || 'all' }))
    ),
  asText
}

const contentFlags = {
  description: text('text', 'what it is for'),
  rules: text('rules', `its rules, in HCL or JSON; ${CONTENT}`),
  validDatacenter: texts('name', 'datacenter where it is valid; all when none is given')
}

const bodyOf = async (
  flags: FlagValues<typeof contentFlags>,
  console: Console,
  existing?: Policy
): Promise<object> => ({
  Description: flags.description ?? existing?.Description ?? '',
  Rules: flags.rules === undefined ? (existing?.Rules ?? '') : await textContent(flags.rules, console),
  Datacenters: flags.validDatacenter.length > 0 ? flags.validDatacenter : (existing?.Datacenters ?? [])
})

const create = remoteCommand({
  summary: 'Make a policy.',
  examples: [
    'annals policy create -name web-read -rules \'key_prefix "web/" { policy = "read" }\'',
    'annals policy create -name web -description "All of web" -rules @web.hcl'
  ],
  flags: { name: text('name', 'its name: letters, digits, - and _'), ...contentFlags },
  run: async ({ write, out, flags, console }) => {
    const body = { Name: flags.name ?? '', ...(await bodyOf(flags, console)) }
    out.show(await write<Policy>('PUT', policy.path, body), asText)
  }
})

const update = remoteCommand({
  summary: 'Change a policy.',
  about: 'What no flag says stays as it is, unless --no-merge is given.',
  examples: [
    'annals policy update -name web -rules @web.hcl',
    'annals policy update -id 2b2b769b -name web-2'
  ],
  flags: { ...idFlags(policy), ...contentFlags, merge: off('empty what no flag says') },
  run: async ({ get, write, out, flags, console }) => {
    const before = await findForUpdate(get, policy, flags)
    const content = await bodyOf(flags, console, flags.merge ? before : undefined)
    const body = { ID: before.ID, Name: flags.name ?? before.Name, ...content }
    out.show(await write<Policy>('PUT', `${policy.path}/${before.ID}`, body), asText)
  }
})

interface Notice {
  readonly Message: string
  readonly Line: number
  readonly Column: number
}

interface Validation {
  readonly Valid: boolean
  readonly Errors: readonly Notice[]
  readonly Warnings: readonly Notice[]
}

const noticeText = (kind: string, { Message, Line, Column }: Notice): string =>
  `${kind} at ${Line}:${Column}: ${safe(Message)}`

const validationText = ({ Errors, Warnings }: Validation): string =>
  [
    ...Errors.map(notice => noticeText('Error', notice)),
    ...Warnings.map(notice => noticeText('Warning', notice))
  ].join('\n')

const validate = remoteCommand({
  summary: 'Check rules without storing them.',
  about: 'Ends with 1 when they are no rules. Warnings are about rules that are good but do nothing.',
  examples: ['annals policy validate @web.hcl'],
  args: { rules: required(`the rules; ${CONTENT}`) },
  run: async ({ write, out, args, console }) => {
    const body = { Rules: await textContent(args.rules, console) }
    const found = await write<Validation>('POST', '/v1/acl/policy/validate', body)
    out.show(found, validationText)
    if (!found.Valid) throw new Failed('these are no rules that a policy may have')
    if (found.Warnings.length === 0) out.done('The rules are good.')
  }
})

export const policyGroup = group({
  summary: 'Make and change policies: what may be done.',
  examples: [
    'annals policy create -name web -rules @web.hcl',
    'annals policy read web',
    'annals policy update -name web -rules @web.hcl',
    'annals policy list'
  ],
  commands: {
    create,
    read: readCommand(policy, 'annals policy read web'),
    update,
    delete: deleteCommand(policy, 'annals policy delete web'),
    list: listCommand(policy, 'List policies.', 'annals policy list', 'annals policy list --json'),
    validate
  }
})
