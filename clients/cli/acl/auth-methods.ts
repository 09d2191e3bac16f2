import { AUTH_METHOD_TYPES, authMethodDefinition } from '../../../events/auth-method.js'
import { UsageError } from '../console.js'
import { CONTENT, textContent } from '../remote/content.js'
import { text, texts } from '../remote/flags.js'
import {
  jsonObjectIn,
  objectIn,
  textInput,
  textIn,
  type FieldInput,
  type ResourceRun
} from '../resources/field-inputs.js'
import { byName } from '../resources/naming.js'
import { resourceGroup } from '../resources/resource-commands.js'

/** Flags for fields of the Config of type kubernetes. */
const KUBERNETES = {
  kubernetesHost: 'Host',
  kubernetesCaCert: 'CACert',
  kubernetesServiceAccountJwt: 'ServiceAccountJWT'
}

const kubernetesConfig = async ({ flags, console }: ResourceRun): Promise<object> => {
  const given = Object.entries(KUBERNETES).flatMap(([flag, field]) => {
    const value = textIn(flags, flag)
    return value === undefined ? [] : [[field, value] as const]
  })
  const contents = given.map(async ([field, value]) => {
    if (field === 'Host') return [field, value] as const
    const content = await textContent(value, console)
    return [field, field === 'CACert' ? content : content.trim()] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}

const config: FieldInput = {
  flags: {
    config: text('json', `its Config, whose keys depend on the type; ${CONTENT}`),
    kubernetesHost: text('url', 'address of the API server (type kubernetes)'),
    kubernetesCaCert: text('pem', `CA certificate of the API server (type kubernetes); ${CONTENT}`),
    kubernetesServiceAccountJwt: text(
      'jwt',
      `JWT of the service account that reviews tokens (type kubernetes); ${CONTENT}`
    )
  },
  valueOf: async (run, existing) => ({
    ...((await jsonObjectIn(run, 'config')) ?? objectIn(existing)),
    ...(await kubernetesConfig(run))
  })
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(element => typeof element === 'string') : []

const namespaceRules: FieldInput = {
  flags: {
    namespaceRuleSelector: texts('selector', 'selector of the next --namespace-rule-bind-namespace'),
    namespaceRuleBindNamespace: texts('name', 'namespace in which the tokens are created')
  },
  valueOf: ({ flags }, existing) => {
    const selectors = textsOf(flags['namespaceRuleSelector'])
    const namespaces = textsOf(flags['namespaceRuleBindNamespace'])
    if (namespaces.length === 0 && selectors.length === 0) return existing
    const isWithoutSelector = selectors.length === 0 && namespaces.length === 1
    if (selectors.length !== namespaces.length && !isWithoutSelector)
      throw new UsageError(
        'each --namespace-rule-selector needs a --namespace-rule-bind-namespace, and the reverse'
      )
    return namespaces.map((BindNamespace, index) => ({ Selector: selectors[index] ?? '', BindNamespace }))
  }
}

export const authMethodGroup = resourceGroup({
  definition: authMethodDefinition,
  command: 'auth-method',
  article: 'an',
  noun: 'auth method',
  summary: 'Create, show, update and delete auth methods, with which users and programs log in.',
  sample: 'ci',
  path: '/v1/acl/auth-method',
  list: '/v1/acl/auth-methods',
  naming: byName('auth method', '/v1/acl/auth-methods'),
  inputs: {
    Name: textInput('name', 'name', 'name of the auth method: letters, digits, - and _', { update: 'kept' }),
    Type: textInput('type', 'type', 'type of the credentials', {
      choices: AUTH_METHOD_TYPES,
      update: 'kept'
    }),
    MaxTokenTTL: textInput('maxTokenTtl', 'duration', 'maximum lifetime of its tokens, such as 8h'),
    Config: config,
    NamespaceRules: namespaceRules
  },
  columns: ['Name', 'Type', 'DisplayName', 'Description'],
  details: ['Name', 'Namespace', 'Type', 'DisplayName', 'Description', 'MaxTokenTTL', 'TokenLocality'],
  texts: {
    create: {
      examples: [
        'annals auth-method create -name ci -type jwt -config @ci.json',
        'annals auth-method create -name minikube -type kubernetes -kubernetes-host https://10.0.0.1 -kubernetes-ca-cert @ca.pem -kubernetes-service-account-jwt @jwt'
      ]
    },
    update: {
      about:
        'Fields that no flag sets keep their values, unless --no-merge is given; --config replaces the whole Config. Tokens of earlier logins\nstay valid.',
      examples: [
        'annals auth-method update ci -config @ci.json',
        'annals auth-method update -name ci -max-token-ttl 1h'
      ]
    },
    delete: { summary: 'Delete an auth method, its binding rules, and the tokens of logins with it.' }
  }
})
