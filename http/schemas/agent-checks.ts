// Bodies of the agent's checks, by themselves and as parts of services (spec: state.md §8).
import * as Type from 'typebox'
import { checkShape, runnerFields } from '../../events/check.js'
import { tenancy } from '../../events/shape/common.js'
import { given, ignored } from '../../events/shape/fields.js'
import { integer, text, texts } from '../../events/shape/forms.js'
import type { Given } from '../../events/shape/types.js'
import { givenFields } from './shapes.js'
import { strict } from './strict.js'

const REFUSED = 'Refused: commands are not run'
const { Status, Notes } = checkShape.fields
const ofChecks = {
  Name: checkShape.fields.Name,
  Notes,
  Status,
  ...runnerFields,
  OutputMaxSize: ignored(integer, 'Ignored: output is cut at 4096 bytes'),
  Args: ignored(texts, REFUSED),
  ScriptArgs: ignored(texts, REFUSED),
  Script: ignored(text, REFUSED),
  DockerContainerID: ignored(text, REFUSED),
  Shell: ignored(text, 'Ignored: commands are not run'),
  H2PING: ignored(text, 'Refused'),
  ProxyHTTP: ignored(text, 'Ignored'),
  ProxyGRPC: ignored(text, 'Ignored')
}
const ofPartOfService = { CheckID: given(text, 'ID; made of the service when not given'), ...ofChecks }
const ofOneCheck = {
  ID: given(text, 'ID; the name when not given'),
  ServiceID: checkShape.fields.ServiceID,
  Token: ignored(text, 'Ignored'),
  ...tenancy,
  ...ofChecks
}

/** A check as part of a service. */
export type GivenServiceCheck = Given<typeof ofPartOfService>
export const serviceCheckBody = strict(givenFields(ofPartOfService), { $id: 'ServiceCheckInput' })

export type GivenAgentCheck = Given<typeof ofOneCheck>
export const agentCheckBody = Type.Unsafe<GivenAgentCheck>(
  strict(givenFields(ofOneCheck), {
    $id: 'AgentCheckInput',
    examples: [{ Name: 'disk', TTL: '30s' }]
  })
)
