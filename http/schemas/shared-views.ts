// Fields that many responses have.
import * as Type from 'typebox'
import { text } from './strict.js'
import { sample } from './view.js'

/** The tenancy of a resource. */
export const tenancyView = {
  Namespace: text('Where it is not `default`'),
  Partition: text('Where it is not `default`')
}

/** The indexes of the creation and the last change of a resource. */
export const indexView = {
  CreateIndex: Type.Integer({ description: 'Index of the commit that made it' }),
  ModifyIndex: Type.Integer({ description: 'Index of the commit that changed it last' })
}

/** The same with their value in an example. */
export const indexesAt = (index: number) => ({
  CreateIndex: sample.of(index, indexView.CreateIndex),
  ModifyIndex: sample.of(index, indexView.ModifyIndex)
})

/** A list of texts; null where there is none. */
export const nullableTextList = Type.Union([Type.Array(Type.String()), Type.Null()])
export const textList = Type.Array(Type.String())
/** Any JSON object. */
export const jsonObjectMap = Type.Record(Type.String(), Type.Unknown())

/** Facts about the read itself, the same in every response of a server. */
export const readFacts = {
  Index: Type.Integer(),
  LastContact: Type.Integer(),
  KnownLeader: Type.Boolean(),
  ConsistencyLevel: Type.String({ examples: ['leader'] }),
  NotModified: Type.Boolean(),
  Backend: Type.Integer()
}
