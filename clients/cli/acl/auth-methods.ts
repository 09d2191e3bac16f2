import { isObject } from '../../../events/values.js'
import { UsageError, type Console } from '../console.js'
import { group, remoteCommand } from '../remote/command.js'
import { CONTENT, jsonContent, textContent } from '../remote/content.js'
import { off, optional, text, texts, type FlagValues } from '../remote/flags.js'
import { details, table } from '../remote/output.js'
import { listCommand, onlyOne, type AclKind } from './acl-resources.js'

interface NamespaceRule {
  readonly Selector: string
  readonly BindNamespace: string
}

interface AuthMethod {
  readonly Name: string
  readonly Type: string
  readonly DisplayName?: string
  readonly Description?: string
  readonly MaxTokenTTL?: string
  readonly TokenLocality?: string
  readonly NamespaceRules?: readonly NamespaceRule[]
  readonly Config?: Readonly<Record<string, unknown>>
}

const COLUMNS = [
  'Name',
  'Namespace',
  'Type',
  'DisplayName',
  'Description',
  'MaxTokenTTL',
  'TokenLocality'
] as const

const asText = ({ Config = {}, ...others }: AuthMethod): string =>
  [details(COLUMNS, others), 'Config:', JSON.stringify(Config, null, 2)].join('\n')

const method: AclKind<AuthMethod> = {
  noun: 'auth method',
  path: '/v1/acl/auth-method',
  listPath: '/v1/acl/auth-methods',
  idOf: ({ Name }) => Name,
  listText: methods => table(['Name', 'Type', 'DisplayName', 'Description'], methods),
  asText
}

const pathOf = (name: string): string => `${method.path}/${encodeURIComponent(name)}`

const contentFlags = {
  displayName: text('name', 'its name for people'),
  description: text('text', 'what it is for'),
  maxTokenTtl: text('duration', 'longest life of its tokens, such as 8h'),
  tokenLocality: text('scope', 'where its tokens are valid', { choices: ['local', 'global'] }),
  config: text('json', `its Config: what is asked of credentials, by type; ${CONTENT}`),
  kubernetesHost: text('url', 'address of the API server (type kubernetes)'),
  kubernetesCaCert: text('pem', `certificate of its authority (type kubernetes); ${CONTENT}`),
  kubernetesServiceAccountJwt: text(
    'jwt',
    `JWT of the service account that reviews tokens (type kubernetes); ${CONTENT}`
  ),
  namespaceRuleSelector: texts('selector', 'for whom the --namespace-rule-bind-namespace beside it counts'),
  namespaceRuleBindNamespace: texts('name', 'namespace in which tokens are made')
}

type ContentFlags = FlagValues<typeof contentFlags>

/** @throws UsageError */
const configOf = async (
  flags: ContentFlags,
  console: Console,
  before: AuthMethod['Config']
): Promise<Readonly<Record<string, unknown>>> => {
  const config = flags.config === undefined ? before : await jsonContent(flags.config, console)
  if (config !== undefined && !isObject(config)) throw new UsageError('--config must be a JSON object')
  const { kubernetesHost, kubernetesCaCert, kubernetesServiceAccountJwt } = flags
  return {
    ...config,
    ...(kubernetesHost === undefined ? {} : { Host: kubernetesHost }),
    ...(kubernetesCaCert === undefined ? {} : { CACert: await textContent(kubernetesCaCert, console) }),
    ...(kubernetesServiceAccountJwt === undefined
      ? {}
      : { ServiceAccountJWT: (await textContent(kubernetesServiceAccountJwt, console)).trim() })
  }
}

/** @throws UsageError */
const namespaceRulesOf = (flags: ContentFlags): readonly NamespaceRule[] | undefined => {
  const { namespaceRuleSelector: selectors, namespaceRuleBindNamespace: namespaces } = flags
  if (namespaces.length === 0 && selectors.length === 0) return undefined
  const isWithoutSelector = selectors.length === 0 && namespaces.length === 1
  if (selectors.length !== namespaces.length && !isWithoutSelector)
    throw new UsageError(
      'each --namespace-rule-selector needs a --namespace-rule-bind-namespace, and the reverse'
    )
  return namespaces.map((BindNamespace, index) => ({ Selector: selectors[index] ?? '', BindNamespace }))
}

const bodyOf = async (flags: ContentFlags, console: Console, existing?: AuthMethod): Promise<object> => ({
  DisplayName: flags.displayName ?? existing?.DisplayName ?? '',
  Description: flags.description ?? existing?.Description ?? '',
  MaxTokenTTL: flags.maxTokenTtl ?? existing?.MaxTokenTTL,
  TokenLocality: flags.tokenLocality ?? existing?.TokenLocality,
  NamespaceRules: namespaceRulesOf(flags) ?? existing?.NamespaceRules,
  Config: await configOf(flags, console, existing?.Config)
})

const create = remoteCommand({
  summary: 'Make an auth method: a way to log in.',
  examples: [
    'annals auth-method create -name ci -type jwt -config @ci.json',
    'annals auth-method create -name minikube -type kubernetes -kubernetes-host https://10.0.0.1 -kubernetes-ca-cert @ca.pem -kubernetes-service-account-jwt @jwt'
  ],
  flags: {
    name: text('name', 'its name: letters, digits, - and _'),
    type: text('type', 'what it trusts', { choices: ['jwt', 'kubernetes', 'oidc'] }),
    ...contentFlags
  },
  run: async ({ write, out, flags, console }) => {
    const body = { Name: flags.name ?? '', Type: flags.type ?? '', ...(await bodyOf(flags, console)) }
    out.show(await write<AuthMethod>('PUT', method.path, body), asText)
  }
})

const byName = {
  args: { which: optional('name of the auth method, in place of the flag') },
  flags: { name: text('name', 'name of the auth method') }
}

const nameOf = (flag: string | undefined, which: string | undefined): string =>
  onlyOne('auth method', 'name', flag, which)

const update = remoteCommand({
  summary: 'Change an auth method.',
  about:
    'What no flag says stays as it is, unless --no-merge is given; --config replaces the whole Config. Logins that were made before stay.',
  examples: [
    'annals auth-method update ci -config @ci.json',
    'annals auth-method update -name ci -max-token-ttl 1h'
  ],
  args: byName.args,
  flags: { ...byName.flags, ...contentFlags, merge: off('empty what no flag says') },
  run: async ({ read, write, out, flags, args, console }) => {
    const path = pathOf(nameOf(flags.name, args.which))
    const before = await read<AuthMethod>(path)
    const content = await bodyOf(flags, console, flags.merge ? before : undefined)
    const body = { Name: before.Name, Type: before.Type, ...content }
    out.show(await write<AuthMethod>('PUT', path, body), asText)
  }
})

const show = remoteCommand({
  summary: 'Show an auth method.',
  examples: ['annals auth-method read ci'],
  ...byName,
  run: async ({ read, out, flags, args }) =>
    out.show(await read<AuthMethod>(pathOf(nameOf(flags.name, args.which))), asText)
})

const remove = remoteCommand({
  summary: 'Delete an auth method, its binding rules, and the tokens that logins with it have made.',
  examples: ['annals auth-method delete ci'],
  ...byName,
  run: async ({ send, out, flags, args }) => {
    const name = nameOf(flags.name, args.which)
    await send('DELETE', pathOf(name))
    out.done(`Auth method "${name}" deleted successfully`)
  }
})

export const authMethodGroup = group({
  summary: 'Make and change auth methods: ways to log in.',
  examples: [
    'annals auth-method create -name ci -type jwt -config @ci.json',
    'annals auth-method read ci',
    'annals login -method ci -bearer-token-file token.jwt'
  ],
  commands: {
    create,
    read: show,
    update,
    delete: remove,
    list: listCommand(method, 'List auth methods.', 'annals auth-method list')
  }
})
