// Units of consumer groups in bodies and responses.
import * as Type from 'typebox'
import { strict, text, sample, view } from './view.js'

/** Receipts, or units, of one request. */
const MOST_UNITS = 1024

const receipts = Type.Array(Type.String(), {
  description: 'Receipts of the units, as they were received',
  minItems: 1,
  maxItems: MOST_UNITS
})
const RECEIPT = '5b1c2f0e-7f3a-4c1d-9f57-0a8d1b3c5e77-1'
const UNIT = 'mB3hZ0pYJ1sQ2wXk'

export const acknowledgement = strict(
  { Receipts: receipts },
  { $id: 'UnitAcknowledgement', examples: [{ Receipts: [RECEIPT] }] }
)

export const rejection = strict(
  {
    Receipts: receipts,
    Delay: text(
      'Time until the next delivery, such as 30s; its key waits as well. At most 24h; none: at once'
    ),
    Reason: text('Why, shown with the unit: 1 to 512 printable characters')
  },
  { $id: 'UnitRejection', examples: [{ Receipts: [RECEIPT], Delay: '30s', Reason: 'database is down' }] }
)

export const parkedUnits = strict(
  {
    Units: Type.Array(strict({ Index: Type.Integer(), Unit: Type.String() }), {
      description: 'Parked units, as the list of units names them',
      minItems: 1,
      maxItems: MOST_UNITS
    })
  },
  { $id: 'ParkedUnits', examples: [{ Units: [{ Index: 42, Unit: UNIT }] }] }
)

const settled = Type.Array(Type.String())
export const settlement = view('UnitSettlement', {
  Settled: sample.of([RECEIPT], settled),
  Unknown: sample.of(
    [],
    Type.Array(Type.String(), { description: 'Receipts of units that the group delivers again' })
  )
})

export const receivedUnit = view('ReceivedUnit', {
  Receipt: sample.text(RECEIPT, 'Acknowledges or rejects this delivery'),
  Deliveries: sample.integer(1, 'How often the unit was delivered'),
  Index: sample.integer(42, 'Index of the commit'),
  Events: sample.of(
    [{ Topic: 'KV', Type: 'KVSet', Key: 'web/port', Namespace: 'default', Index: 42 }],
    Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'As in the event stream' })
  )
})

export const listedUnit = view('ListedUnit', {
  Index: sample.integer(42, 'Index of the commit'),
  Unit: sample.text(UNIT, 'Identifies the resource within the commit'),
  State: sample.text('parked', '`waiting` or `parked`'),
  Deliveries: sample.integer(5, 'How often it was delivered'),
  NotBefore: text('When it is delivered again, RFC 3339'),
  Reason: text('Why a member rejected it last'),
  Member: text('The member that has it now'),
  Topic: text('Topic of the resource, for callers who may read it'),
  Key: text('Key of the resource, for callers who may read it')
})
