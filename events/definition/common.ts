import { ignoredField, generated, tenancyField } from './fields.js'
import { integerType, textType } from './value-types.js'

/** The tenancy that a body may name; it wins over parameters and headers (tenancy.md §5.1). */
export const tenancy = {
  Namespace: tenancyField('Namespace of the resource; omitted from responses if default'),
  Partition: tenancyField('Admin partition of the resource; omitted from responses if default')
}

export const indexes = {
  CreateIndex: generated(integerType, 'Index of the commit that made it; set by the service'),
  ModifyIndex: generated(integerType, 'Index of the last commit that changed it; set by the service')
}

/** For resources whose filters do not cover indexes. */
export const unfilteredIndexes = {
  CreateIndex: { ...indexes.CreateIndex, filterable: false },
  ModifyIndex: { ...indexes.ModifyIndex, filterable: false }
}

export const contentHash = generated(
  textType,
  'Base64 of 32 bytes, equal for equal content; set by the service'
)

/** Accepted on resources without a creation time, because clients send token fields back. */
export const noCreateTime = ignoredField(textType, 'Ignored')
