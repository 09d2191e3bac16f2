// Bodies of the agent's services and of check updates (spec: state.md §8).
import * as Type from 'typebox'
import { serviceDefinition } from '../../events/service.js'
import { nonNullable } from '../../events/definition/fields.js'
import type { RequestBodyOf } from '../../events/definition/types.js'
import { type ServiceCheckInput, serviceCheckBody } from './agent-checks.js'
import { writableFields } from './definition-schemas.js'
import { flag, strict, text } from './strict.js'

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
} = serviceDefinition.fields
const said = {
  ...others,
  Name,
  Tags: nonNullable(Tags),
  Meta: nonNullable(Meta),
  Proxy: nonNullable(Proxy),
  Namespace,
  Partition
}
interface GivenService extends RequestBodyOf<typeof said> {
  readonly Check?: ServiceCheckInput
  readonly Checks?: readonly ServiceCheckInput[]
  readonly Connect?: { readonly Native?: boolean }
}

const serviceFields = {
  ...writableFields(said),
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
  { Status: text('passing, warning or critical'), Output: text('What was found') },
  { $id: 'CheckUpdateInput', examples: [{ Status: 'passing', Output: '12 % are free' }] }
)
