// Bodies and answers of nodes, services and checks (spec: state.md §2, §6.2, §6.3).
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { nodeShape } from '../../events/node.js'
import { serviceShape } from '../../events/service.js'
import type { Given } from '../../events/shape/types.js'
import { hostFields } from '../../projections/catalog/service-forms.js'
import { givenFields } from './shapes.js'
import { flag, integer, strict, text, texts } from './strict.js'

const textList = (description: string) =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description }))
const duration = Type.Optional(
  Type.Union([Type.String(), Type.Number()], {
    description: 'A duration such as 10s, or a number of nanoseconds'
  })
)
const tenancy = { Namespace: text('Namespace of the thing'), Partition: text('Its admin partition') }
const indexes = {
  CreateIndex: Type.Optional(Type.Number({ minimum: 0 })),
  ModifyIndex: Type.Optional(Type.Number({ minimum: 0 }))
}

/** A service; the transaction adds an index. */
export const serviceProperties = { ...givenFields(serviceShape.fields), ...indexes }
export type GivenService = Given<typeof serviceShape.fields>
export const serviceBody = Type.Unsafe<GivenService>(strict(serviceProperties, { $id: 'ServiceInput' }))

/** What a check asks, as callers say it and as answers show it. */
export const probeProperties = {
  HTTP: text('URL'),
  TLSServerName: text('Name for TLS'),
  TLSSkipVerify: flag('Whether certificates are not verified'),
  Header: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  Method: text('HTTP method'),
  Body: text('HTTP body'),
  DisableRedirects: flag('Whether redirects are not followed'),
  TCP: text('host:port'),
  H2PING: text('host:port')
}

/** How a check finds out. Unknown fields are ignored here. */
export const definitionBody = Type.Object(
  {
    ...probeProperties,
    Interval: duration,
    IntervalDuration: duration,
    Timeout: duration,
    TimeoutDuration: duration,
    DeregisterCriticalServiceAfter: duration,
    DeregisterCriticalServiceAfterDuration: duration,
    OutputMaxSize: integer('Bytes'),
    ScriptArgs: texts('Command'),
    DockerContainerID: text('Container'),
    Shell: text('Shell'),
    GRPC: text('host:port/service'),
    GRPCUseTLS: flag('With TLS'),
    AliasNode: text('Node whose health is taken over'),
    AliasService: text('Service whose health is taken over'),
    TTL: duration
  },
  { $id: 'CheckDefinitionInput' }
)

/** A check as a transaction takes it. */
export const txnCheckFields = {
  Node: text('Node that it is on'),
  CheckID: text('Unique on its node; the name when not given'),
  Name: text('Name for people'),
  Status: text('passing, warning or critical; critical when not given'),
  Notes: text('Free text'),
  Output: text('What it found last'),
  ServiceID: text('Service that it is of; empty for the node'),
  ServiceName: text('Set by the service'),
  ServiceTags: textList('Set by the service'),
  Type: text('Kind of the check; from the definition when not given'),
  Definition: Type.Optional(Type.Union([definitionBody, Type.Null()])),
  ...tenancy,
  ...indexes
}

export const checkBody = strict(
  {
    ...txnCheckFields,
    Interval: text('As shown'),
    Timeout: text('As shown'),
    ExposedPort: integer('As shown')
  },
  { $id: 'CheckInput' }
)

/** A node; the transaction adds an index. */
export const nodeProperties = { ...givenFields(nodeShape.fields), ...indexes }
export type GivenNode = Given<typeof nodeShape.fields>

const REGISTRATION = {
  Node: 'node-1',
  Address: '10.0.0.1',
  Service: { ID: 'web-1', Service: 'web', Port: 8080, Tags: ['v1'] },
  Check: { Name: 'web answers', ServiceID: 'web-1', Status: 'passing' }
}

interface GivenRegistration extends Given<typeof hostFields> {
  readonly Service?: GivenService
  readonly Check?: Static<typeof checkBody>
  readonly Checks?: readonly Static<typeof checkBody>[]
  readonly SkipNodeUpdate?: boolean
}

export const registerBody = Type.Unsafe<GivenRegistration>(
  strict(
    {
      ...givenFields(hostFields),
      Service: Type.Optional(serviceBody),
      Check: Type.Optional(checkBody),
      Checks: Type.Optional(Type.Array(checkBody)),
      SkipNodeUpdate: flag('Whether an existing node is left as it is'),
      ...tenancy,
      ...indexes
    },
    { $id: 'RegistrationInput', examples: [REGISTRATION] }
  )
)

export const deregisterBody = strict(
  {
    Datacenter: text('Datacenter of the node'),
    Node: text('Name of the node'),
    ServiceID: text('The instance to remove; wins over CheckID'),
    CheckID: text('The check to remove'),
    Address: text('Ignored'),
    ...tenancy
  },
  { $id: 'DeregistrationInput', examples: [{ Node: 'node-1', ServiceID: 'web-1' }] }
)
