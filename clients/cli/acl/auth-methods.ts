// `annals auth-method`
import { UsageError } from '../console.js'
import { group, remoteCommand, type Run } from '../remote/command.js'
import { CONTENT, jsonContent, textContent } from '../remote/content.js'
import { off, optional, text, texts } from '../remote/flags.js'
import { fields } from '../remote/output.js'
import { listOf, listText, onlyOne, type AclKind } from './acl-resources.js'

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
  readonly Namespace?: string
  readonly NamespaceRules?: readonly NamespaceRule[]
  readonly Config?: Readonly<Record<string, unknown>>
}

const asText = ({ Name, Type, DisplayName, Description, Config, ...method }: AuthMethod): string =>
  [
    fields([
      ['Name', Name],
      ['Namespace', method.Namespace],
      ['Type', Type],
      ['DisplayName', DisplayName],
      ['Description', Description],
      ['MaxTokenTTL', method.MaxTokenTTL],
      ['TokenLocality', method.TokenLocality]
    ]),
    'Config:',
    JSON.stringify(Config ?? {}, null, 2)
  ].join('\n')

const method: AclKind<AuthMethod> = {
  noun: 'auth method',
  path: '/v1/acl/auth-method',
  listPath: '/v1/acl/auth-methods',
  idOf: ({ Name }) => Name,
  heading: ['Name', 'Type', 'DisplayName', 'Description'],
  row: ({ Name, Type, DisplayName, Description }) => [Name, Type, DisplayName, Description],
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

interface ContentFlags {
  readonly displayName: string | undefined
  readonly description: string | undefined
  readonly maxTokenTtl: string | undefined
  readonly tokenLocality: string | undefined
  readonly config: string | undefined
  readonly kubernetesHost: string | undefined
  readonly kubernetesCaCert: string | undefined
  readonly kubernetesServiceAccountJwt: string | undefined
  readonly namespaceRuleSelector: readonly string[]
  readonly namespaceRuleBindNamespace: readonly string[]
}

type Console = Run<unknown, unknown>['console']

/** @throws UsageError */
const configOf = async (
  flags: ContentFlags,
  console: Console,
  before: AuthMethod['Config']
): Promise<Readonly<Record<string, unknown>>> => {
  const given = flags.config === undefined ? before : await jsonContent(flags.config, console)
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw new UsageError('--config must be a JSON object')
  const { kubernetesHost, kubernetesCaCert, kubernetesServiceAccountJwt } = flags
  return {
    ...given,
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

const bodyOf = async (
  flags: ContentFlags,
  console: Console,
  kept: AuthMethod | undefined
): Promise<Readonly<Record<string, unknown>>> => {
  const namespaceRules = namespaceRulesOf(flags) ?? kept?.NamespaceRules
  const [ttl, locality] = [flags.maxTokenTtl ?? kept?.MaxTokenTTL, flags.tokenLocality ?? kept?.TokenLocality]
  return {
    DisplayName: flags.displayName ?? kept?.DisplayName ?? '',
    Description: flags.description ?? kept?.Description ?? '',
    ...(ttl === undefined ? {} : { MaxTokenTTL: ttl }),
    ...(locality === undefined ? {} : { TokenLocality: locality }),
    ...(namespaceRules === undefined ? {} : { NamespaceRules: namespaceRules }),
    Config: await configOf(flags, console, kept?.Config)
  }
}

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
  run: async ({ send, out, flags, console }) => {
    const body = {
      Name: flags.name ?? '',
      Type: flags.type ?? '',
      ...(await bodyOf(flags, console, undefined))
    }
    out.show(await (await send('PUT', method.path, { body })).json<AuthMethod>(), asText)
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
  run: async ({ get, send, out, flags, args, console }) => {
    const path = pathOf(nameOf(flags.name, args.which))
    const before = await (await get(path)).json<AuthMethod>()
    const content = await bodyOf(flags, console, flags.merge ? before : undefined)
    const body = { Name: before.Name, Type: before.Type, ...content }
    out.show(await (await send('PUT', path, { body })).json<AuthMethod>(), asText)
  }
})

const read = remoteCommand({
  summary: 'Show an auth method.',
  examples: ['annals auth-method read ci'],
  ...byName,
  run: async ({ get, out, flags, args }) =>
    out.show(await (await get(pathOf(nameOf(flags.name, args.which)))).json<AuthMethod>(), asText)
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

const list = remoteCommand({
  summary: 'List auth methods.',
  examples: ['annals auth-method list'],
  run: async ({ get, out }) => out.show(await listOf(get, method), all => listText(method, all))
})

export const authMethodGroup = group({
  summary: 'Make and change auth methods: ways to log in.',
  examples: [
    'annals auth-method create -name ci -type jwt -config @ci.json',
    'annals auth-method read ci',
    'annals login -method ci -bearer-token-file token.jwt'
  ],
  commands: { create, read, update, delete: remove, list }
})
