import { group, remoteCommand, showCommand } from '../remote/command.js'
import { off, optional, text, type FlagValues } from '../remote/flags.js'
import { details, table } from '../remote/output.js'
import { onlyOne, resolveIdPrefix, type Get, type AclKind } from './acl-resources.js'

interface BindingRule {
  readonly ID: string
  readonly Description: string
  readonly AuthMethod: string
  readonly Selector?: string
  readonly BindType: string
  readonly BindName: string
}

const asText = (rule: BindingRule): string =>
  details(['ID', 'Namespace', 'Description', 'AuthMethod', 'BindType', 'BindName', 'Selector'], rule)

const bindingRule: AclKind<BindingRule> = {
  noun: 'binding rule',
  path: '/v1/acl/binding-rule',
  listPath: '/v1/acl/binding-rules',
  idOf: ({ ID }) => ID,
  listText: rules => table(['ID', 'AuthMethod', 'BindType', 'BindName', 'Selector'], rules),
  asText
}

const contentFlags = {
  description: text('text', 'what it is for'),
  selector: text('selector', 'whom it is for, such as value.team == "web"; everybody when empty'),
  bindType: text('type', 'what is given', { choices: ['service', 'node', 'role'] }),
  bindName: text('name', 'its name, or a template such as web-${value.team}')
}

const bodyOf = (flags: FlagValues<typeof contentFlags>, existing?: BindingRule): object => ({
  Description: flags.description ?? existing?.Description ?? '',
  Selector: flags.selector ?? existing?.Selector ?? '',
  BindType: flags.bindType ?? existing?.BindType ?? '',
  BindName: flags.bindName ?? existing?.BindName ?? ''
})

const create = remoteCommand({
  summary: 'Make a binding rule: what a login with an auth method gives to whom.',
  examples: [
    "annals binding-rule create -method ci -bind-type service -bind-name '${value.team}'",
    'annals binding-rule create -method ci -bind-type role -bind-name deploy -selector \'value.branch == "main"\''
  ],
  flags: { method: text('name', 'its auth method'), ...contentFlags },
  run: async ({ write, out, flags }) => {
    const body = { AuthMethod: flags.method ?? '', ...bodyOf(flags) }
    out.show(await write<BindingRule>('PUT', bindingRule.path, body), asText)
  }
})

const byId = {
  args: { which: optional('ID of the binding rule, or its beginning, in place of the flag') },
  flags: { id: text('id', 'ID of the binding rule, or its beginning') }
}

/** @throws UsageError, Failed */
const pathOf = async (get: Get, flag: string | undefined, which: string | undefined): Promise<string> =>
  `${bindingRule.path}/${await resolveIdPrefix(get, bindingRule, onlyOne('binding rule', 'ID', flag, which))}`

const update = remoteCommand({
  summary: 'Change a binding rule.',
  about: 'What no flag says stays as it is, unless --no-merge is given. Its auth method cannot be changed.',
  examples: ['annals binding-rule update -id 0113740a -bind-name deploy-2'],
  args: byId.args,
  flags: { ...byId.flags, ...contentFlags, merge: off('empty what no flag says') },
  run: async ({ read, write, get, out, flags, args }) => {
    const path = await pathOf(get, flags.id, args.which)
    const before = await read<BindingRule>(path)
    const body = { AuthMethod: before.AuthMethod, ...bodyOf(flags, flags.merge ? before : undefined) }
    out.show(await write<BindingRule>('PUT', path, body), asText)
  }
})

const show = remoteCommand({
  summary: 'Show a binding rule.',
  examples: ['annals binding-rule read 0113740a'],
  ...byId,
  run: async ({ read, get, out, flags, args }) =>
    out.show(await read<BindingRule>(await pathOf(get, flags.id, args.which)), asText)
})

const remove = remoteCommand({
  summary: 'Delete a binding rule. Tokens of logins that it had a part in stay.',
  examples: ['annals binding-rule delete 0113740a'],
  ...byId,
  run: async ({ get, send, out, flags, args }) => {
    const path = await pathOf(get, flags.id, args.which)
    await send('DELETE', path)
    out.done(`Binding rule "${path.slice(path.lastIndexOf('/') + 1)}" deleted successfully`)
  }
})

const list = showCommand({
  summary: 'List binding rules.',
  examples: ['annals binding-rule list', 'annals binding-rule list -method ci'],
  flags: { method: text('name', 'only those of this auth method') },
  path: bindingRule.listPath,
  query: ({ flags }) => ({ authmethod: flags.method }),
  asText: bindingRule.listText
})

export const bindingRuleGroup = group({
  summary: 'Make and change binding rules: what logins give to whom.',
  examples: [
    "annals binding-rule create -method ci -bind-type service -bind-name '${value.team}'",
    'annals binding-rule list -method ci'
  ],
  commands: { create, read: show, update, delete: remove, list }
})
