// Bodies of the agent's services and checks (spec: state.md §8).
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { serviceShape } from '../../events/service.js'
import { notNull } from '../../events/shape/fields.js'
import type { Given } from '../../events/shape/types.js'
import { givenFields } from './shapes.js'
import { flag, integer, strict, text, texts } from './strict.js'

const duration = Type.Optional(
  Type.Union([Type.String(), Type.Number()], {
    description: 'A duration such as 10s, or a number of nanoseconds'
  })
)

const checkFields = {
  Name: text('Name for people'),
  Notes: text('Free text'),
  Status: text('passing, warning or critical; critical when not given'),
  TTL: duration,
  HTTP: text('URL that is asked'),
  Header: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  Method: text('HTTP method'),
  Body: text('HTTP body'),
  DisableRedirects: flag('Whether redirects are not followed'),
  TCP: text('host:port that is connected to'),
  Interval: duration,
  Timeout: duration,
  TLSServerName: text('Name for TLS'),
  TLSSkipVerify: flag('Whether certificates are not verified'),
  DeregisterCriticalServiceAfter: duration,
  SuccessBeforePassing: integer('Findings in a row before it passes'),
  FailuresBeforeCritical: integer('Findings in a row before it is critical'),
  OutputMaxSize: integer('Ignored: output is cut at 4096 bytes'),
  Args: texts('Refused: commands are not run'),
  ScriptArgs: texts('Refused: commands are not run'),
  Script: text('Refused: commands are not run'),
  DockerContainerID: text('Refused'),
  Shell: text('Refused'),
  GRPC: text('host:port, or host:port/service, that is asked by the health protocol of gRPC'),
  GRPCUseTLS: flag('Whether GRPC is asked over TLS'),
  H2PING: text('Refused'),
  AliasNode: text('Node whose health is taken over; the own one when not given'),
  AliasService: text('ID of the service whose health is taken over; empty for the node'),
  ProxyHTTP: text('Ignored'),
  ProxyGRPC: text('Ignored')
}

const tenancy = { Namespace: text('Namespace'), Partition: text('Admin partition') }

/** A check as part of a service. */
export const serviceCheckBody = strict(
  {
    CheckID: text('ID; made of the service when not given'),
    ...checkFields
  },
  { $id: 'ServiceCheckInput' }
)

export const agentCheckBody = strict(
  {
    ID: text('ID; the name when not given'),
    ServiceID: text('Service that it is of; empty for the node'),
    Token: text('Ignored'),
    ...tenancy,
    ...checkFields
  },
  { $id: 'AgentCheckInput', examples: [{ Name: 'disk', TTL: '30s' }] }
)

const {
  Service: Name,
  Tags,
  Meta,
  Proxy,
  Connect: _connect,
  Datacenter: _of,
  ContentHash: _made,
  Namespace,
  Partition,
  CreateIndex: _created,
  ModifyIndex: _modified,
  ...others
} = serviceShape.fields
const said = {
  ...others,
  Name,
  Tags: notNull(Tags),
  Meta: notNull(Meta),
  Proxy: notNull(Proxy),
  Namespace,
  Partition
}
interface GivenService extends Given<typeof said> {
  readonly Check?: Static<typeof serviceCheckBody>
  readonly Checks?: readonly Static<typeof serviceCheckBody>[]
  readonly Connect?: { readonly Native?: boolean }
}

const serviceFields = {
  ...givenFields(said),
  Check: Type.Optional(serviceCheckBody),
  Checks: Type.Optional(Type.Array(serviceCheckBody)),
  Token: text('Ignored')
}

const native = { Native: flag('Speaks Connect itself') }
export const sidecarBody = Type.Unsafe<GivenService>(
  strict({ ...serviceFields, Connect: Type.Optional(strict(native)) }, { $id: 'SidecarInput' })
)
/** The token of an agent. */
export const agentTokenBody = strict(
  { Token: text('Secret of the token; empty takes it away') },
  { $id: 'AgentTokenInput', examples: [{ Token: '049c4b06-7bff-40f3-a631-0d2ff1b0e0a4' }] }
)

interface GivenWithSidecar extends GivenService {
  readonly Connect?: { readonly Native?: boolean; readonly SidecarService?: GivenService }
}
export const agentServiceBody = Type.Unsafe<GivenWithSidecar>(
  strict(
    {
      ...serviceFields,
      Connect: Type.Optional(strict({ ...native, SidecarService: Type.Optional(sidecarBody) }))
    },
    {
      $id: 'AgentServiceInput',
      examples: [{ Name: 'web', Port: 8080, Check: { HTTP: 'http://127.0.0.1:8080/alive', Interval: '10s' } }]
    }
  )
)

export const checkUpdateBody = strict(
  {
    Status: text('passing, warning or critical'),
    Output: text('What was found')
  },
  { $id: 'CheckUpdateInput', examples: [{ Status: 'passing', Output: '12 % are free' }] }
)
