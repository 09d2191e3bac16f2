// Bodies of transactions (spec: state.md §3, api.md).
import * as Type from 'typebox'
import { nodeBody, serviceBody, txnCheckFields } from './catalog.js'
import { healthCheck, node, nodeService } from './catalog-answers.js'
import { configEntry, configEntryBody } from './config.js'
import { kvEntry } from './kv.js'
import { readFacts } from './shown.js'
import { flag, FORMS, strict, text } from './strict.js'

/** 0 to 2^64-1; integers beyond 2^53 come as bigint (http/wire/bodies/exact-json.ts). */
const unsigned = (description: string) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.BigInt()], { description }))

const kvOperation = strict(
  {
    Verb: text(
      'set, cas, lock, unlock, get, get-or-empty, get-tree, check-index, check-session, check-not-exists, delete, delete-tree, delete-cas'
    ),
    Key: text('The key, or the prefix of a tree'),
    Value: text('Base64'),
    Flags: unsigned('Means something to the caller'),
    Index: unsigned('For cas, delete-cas and check-index: the ModifyIndex that the entry must have'),
    Session: text('For lock, unlock and check-session'),
    Namespace: text('Namespace of the key'),
    Partition: text('Admin partition of the key')
  },
  { $id: 'KVOperation' }
)

/** Read by the kind of the entry itself, which knows more spellings than a schema can say. */
const entryBody = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'As in PUT /v1/config; ModifyIndex is for cas and delete-cas',
    [FORMS]: [configEntryBody]
  }
)

const verb = { Verb: text('set, cas, get, delete, delete-cas') }
const index = { ModifyIndex: unsigned('For cas and delete-cas: the index that the thing must have') }

/** An element has one kind of operation; one without any is dropped. */
export const transactionBody = Type.Array(
  strict(
    {
      KV: Type.Optional(kvOperation),
      Node: Type.Optional(
        strict({ ...verb, Node: Type.Optional(strict({ ...nodeBody.properties, ...index })) })
      ),
      Service: Type.Optional(
        strict({
          ...verb,
          Node: text('Name of the node'),
          Service: Type.Optional(strict({ ...serviceBody.properties, ...index }))
        })
      ),
      Check: Type.Optional(
        strict({ ...verb, Check: Type.Optional(strict({ ...txnCheckFields, ...index })) })
      ),
      ConfigEntry: Type.Optional(strict({ ...verb, ConfigEntry: Type.Optional(entryBody) }))
    },
    { $id: 'Operation', examples: [{ KV: { Verb: 'set', Key: 'web/port', Value: 'ODA4MA==' } }] }
  )
)

const found = Type.Object(
  {
    KV: Type.Optional(kvEntry),
    Node: Type.Optional(node),
    Service: Type.Optional(nodeService),
    Check: Type.Optional(healthCheck),
    ConfigEntry: Type.Optional(configEntry)
  },
  {
    $id: 'TransactionResult',
    examples: [
      {
        KV: { LockIndex: 0, Key: 'web/port', Flags: 0, Value: null, CreateIndex: 42, ModifyIndex: 42 }
      }
    ]
  }
)

const fault = Type.Object(
  {
    OpIndex: Type.Integer({ description: 'Which operation, counted from 0' }),
    What: Type.String(),
    Code: Type.String()
  },
  { $id: 'TransactionFault', examples: [{ OpIndex: 0, What: 'key "web/port" does not exist', Code: '' }] }
)

/** What the answer of a transaction that only reads has besides. */
const ofReads = {
  ...Type.Partial(Type.Object(readFacts)).properties,
  ResultsFilteredByACLs: flag('Whether something was left out for lack of rights')
}

/** The answer of a transaction that was applied. */
export const transactionAnswer = Type.Object(
  { Results: Type.Array(found), Errors: Type.Null(), ...ofReads },
  { $id: 'TransactionAnswer' }
)

/** The answer of one that was not. */
export const transactionRefused = Type.Object(
  { Results: Type.Null(), Errors: Type.Array(fault), ...ofReads },
  { $id: 'TransactionRefused' }
)
