// Bodies of the agent's services and of check updates (spec: state.md §8).
import * as Type from 'typebox'
import { serviceDefinition } from '../../events/service.js'
import {
  nonNullable,
  writable,
  ignoredField,
  tenancy,
  integerType,
  textType,
  textListType
} from '../../events/definition/fields.js'
import type { RequestBodyOf } from '../../events/definition/types.js'
import { writableFields } from '../../events/definition/forms/forms.js'
import { flag, strict, text } from './view.js'
import { checkResource, runnerFields } from '../../events/check.js'

const REFUSED = 'Refused: commands are not run'
const { Status, Notes } = checkResource.fields
const checkFields = {
  Name: checkResource.fields.Name,
  Notes,
  Status,
  ...runnerFields,
  OutputMaxSize: ignoredField(integerType, 'Ignored: output is cut at 4096 bytes'),
  Args: ignoredField(textListType, REFUSED),
  ScriptArgs: ignoredField(textListType, REFUSED),
  Script: ignoredField(textType, REFUSED),
  DockerContainerID: ignoredField(textType, REFUSED),
  Shell: ignoredField(textType, 'Ignored: commands are not run'),
  H2PING: ignoredField(textType, 'Refused'),
  ProxyHTTP: ignoredField(textType, 'Ignored'),
  ProxyGRPC: ignoredField(textType, 'Ignored')
}
const serviceCheckFields = {
  CheckID: writable(textType, 'ID; made of the service when not given'),
  ...checkFields
}
const agentCheckFields = {
  ID: writable(textType, 'ID; the name when not given'),
  ServiceID: checkResource.fields.ServiceID,
  Token: ignoredField(textType, 'Ignored'),
  ...tenancy,
  ...checkFields
}

/** A check in the body of a service. */
export type ServiceCheckInput = RequestBodyOf<typeof serviceCheckFields>
const serviceCheckBody = strict(writableFields(serviceCheckFields), { $id: 'ServiceCheckInput' })

export type AgentCheckInput = RequestBodyOf<typeof agentCheckFields>
export const agentCheckBody = Type.Unsafe<AgentCheckInput>(
  strict(writableFields(agentCheckFields), {
    $id: 'AgentCheckInput',
    examples: [{ Name: 'disk', TTL: '30s' }]
  })
)

const {
  Service: Name,
  Tags,
  Meta,
  Proxy,
  Connect: _connect,
  Datacenter: _datacenter,
  ContentHash: _contentHash,
  Namespace,
  Partition,
  CreateIndex: _created,
  ModifyIndex: _modified,
  ...others
} = serviceDefinition.fields
const agentServiceFields = {
  ...others,
  Name,
  Tags: nonNullable(Tags),
  Meta: nonNullable(Meta),
  Proxy: nonNullable(Proxy),
  Namespace,
  Partition
}
interface ServiceInput extends RequestBodyOf<typeof agentServiceFields> {
  readonly Check?: ServiceCheckInput
  readonly Checks?: readonly ServiceCheckInput[]
  readonly Connect?: { readonly Native?: boolean }
}

const serviceProperties = {
  ...writableFields(agentServiceFields),
  Check: Type.Optional(serviceCheckBody),
  Checks: Type.Optional(Type.Array(serviceCheckBody)),
  Token: text('Ignored')
}

const native = { Native: flag('Speaks Connect itself') }
export const sidecarBody = Type.Unsafe<ServiceInput>(
  strict({ ...serviceProperties, Connect: Type.Optional(strict(native)) }, { $id: 'SidecarInput' })
)
/** The token of an agent. */
export const agentTokenBody = strict(
  { Token: text('Secret of the token; empty takes it away') },
  { $id: 'AgentTokenInput', examples: [{ Token: '049c4b06-7bff-40f3-a631-0d2ff1b0e0a4' }] }
)

interface ServiceWithSidecarInput extends ServiceInput {
  readonly Connect?: { readonly Native?: boolean; readonly SidecarService?: ServiceInput }
}
export const agentServiceBody = Type.Unsafe<ServiceWithSidecarInput>(
  strict(
    {
      ...serviceProperties,
      Connect: Type.Optional(strict({ ...native, SidecarService: Type.Optional(sidecarBody) }))
    },
    {
      $id: 'AgentServiceInput',
      examples: [{ Name: 'web', Port: 8080, Check: { HTTP: 'http://127.0.0.1:8080/alive', Interval: '10s' } }]
    }
  )
)

export const checkUpdateBody = strict(
  { Status: text('passing, warning or critical'), Output: text('What was found') },
  { $id: 'CheckUpdateInput', examples: [{ Status: 'passing', Output: '12 % are free' }] }
)
