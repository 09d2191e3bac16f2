// Fields that several kinds of things have.
import { ignoredField, generated, tenancyField } from './fields.js'
import { integerType, textType } from './value-types.js'

/** The tenancy that a body may name; it wins over parameters and headers (tenancy.md §5.1). */
export const tenancy = {
  Namespace: tenancyField('Namespace of the thing; answers have it where it is not default'),
  Partition: tenancyField('Admin partition of the thing; answers have it where it is not default')
}

export const indexes = {
  CreateIndex: generated(integerType, 'Index of the commit that made it; set by the service'),
  ModifyIndex: generated(integerType, 'Index of the last commit that changed it; set by the service')
}

/** Of what filters do not select by its indexes. */
export const unfilteredIndexes = {
  CreateIndex: { ...indexes.CreateIndex, filterable: false },
  ModifyIndex: { ...indexes.ModifyIndex, filterable: false }
}

export const contentHash = generated(
  textType,
  'Base64 of 32 bytes, equal for equal content; set by the service'
)

/** Of things that have none: tokens do, and a client may send what it has read of one. */
export const noCreateTime = ignoredField(textType, 'Ignored')
