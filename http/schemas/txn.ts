// Bodies of transactions (spec: state.md §3, api.md).
import * as Type from 'typebox'
import { kvDefinition } from '../../events/kv.js'
import type { RequestBodyOf } from '../../events/definition/types.js'
import {
  type NodeBodyInput,
  type ServiceBodyInput,
  type TxnCheckInput,
  nodeProperties,
  serviceProperties,
  txnCheckProperties
} from './catalog.js'
import { healthCheck, node, nodeService } from './catalog-responses.js'
import { configEntry, configEntryBody } from './config.js'
import { kvEntry } from './kv.js'
import { SCHEMA_BY_TYPE, writableFields } from '../../events/definition/forms/forms.js'
import { unsignedNumber } from '../../events/definition/forms/numbers.js'
import { requestFields } from './definition-schemas.js'
import { readFacts, flag, strict, text, sample, view } from './view.js'

const index = (description: string) => Type.Optional(unsignedNumber({ description }))

interface KvOperation extends RequestBodyOf<typeof kvDefinition.fields> {
  readonly Verb?: string
  readonly Index?: number | bigint
}

const kvOperation = Type.Unsafe<KvOperation>(
  strict(
    {
      Verb: text(
        'set, cas, lock, unlock, get, get-or-empty, get-tree, check-index, check-session, check-not-exists, delete, delete-tree, delete-cas'
      ),
      ...writableFields(requestFields(kvDefinition)),
      Index: index('For cas, delete-cas and check-index: the ModifyIndex that the entry must have')
    },
    { $id: 'KVOperation' }
  )
)

/** Parsed by the kind of the entry, which accepts more spellings than a schema can express. */
const entryBody = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'As in PUT /v1/config; ModifyIndex is for cas and delete-cas',
    [SCHEMA_BY_TYPE]: [configEntryBody]
  }
)

const verb = { Verb: text('set, cas, get, delete, delete-cas') }
const modifyIndex = { ModifyIndex: index('For cas and delete-cas: the required index of the resource') }

/** The input of a resource with its required index. */
type WithIndex<Resource> = Omit<Resource, 'ModifyIndex'> & { readonly ModifyIndex?: number | bigint }

const withIndex = <Resource>(properties: Type.TProperties) =>
  Type.Optional(Type.Unsafe<WithIndex<Resource>>(strict({ ...properties, ...modifyIndex })))

const operation = <Properties extends Type.TProperties>(properties: Properties) =>
  Type.Optional(strict({ ...verb, ...properties }))

/** An element has one kind of operation; one without any is dropped. */
export const transactionBody = Type.Array(
  strict(
    {
      KV: Type.Optional(kvOperation),
      Node: operation({ Node: withIndex<NodeBodyInput>(nodeProperties) }),
      Service: operation({
        Node: text('Name of the node'),
        Service: withIndex<ServiceBodyInput>(serviceProperties)
      }),
      Check: operation({ Check: withIndex<TxnCheckInput>(txnCheckProperties) }),
      ConfigEntry: operation({ ConfigEntry: Type.Optional(entryBody) })
    },
    { $id: 'Operation', examples: [{ KV: { Verb: 'set', Key: 'web/port', Value: 'ODA4MA==' } }] }
  )
)

const KEY = { LockIndex: 0, Key: 'web/port', Flags: 0, Value: null, CreateIndex: 42, ModifyIndex: 42 }

const result = view('TransactionResult', {
  KV: sample.of(KEY, Type.Optional(kvEntry)),
  Node: Type.Optional(node),
  Service: Type.Optional(nodeService),
  Check: Type.Optional(healthCheck),
  ConfigEntry: Type.Optional(configEntry)
})

const fault = view('TransactionFault', {
  OpIndex: sample.integer(0, 'Which operation, counted from 0'),
  What: sample.text('key "web/port" does not exist'),
  Code: sample.text('')
})

/** Further fields in the response of a transaction that only reads. */
const ofReads = {
  ...Type.Partial(Type.Object(readFacts)).properties,
  ResultsFilteredByACLs: flag('Whether something was left out for lack of rights')
}

/** The response of a transaction that was applied. */
export const transactionResponse = view('TransactionAnswer', {
  Results: Type.Array(result),
  Errors: Type.Null(),
  ...ofReads
})

/** The response of one that was not. */
export const transactionRefused = view('TransactionRefused', {
  Results: Type.Null(),
  Errors: Type.Array(fault),
  ...ofReads
})
