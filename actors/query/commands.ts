// Commands on prepared queries (spec: queries.md §3).
import type { PreparedQuery } from '../../events/prepared-query.js'
import type { Command } from '../command.js'

/** What a caller says of a query; fields that were not given have their defaults. */
export type QueryDraft = Omit<PreparedQuery, 'ID' | 'CreateIndex' | 'ModifyIndex'>

export type CreateQuery = Command<'CreateQuery', { readonly query: QueryDraft; readonly newId: string }>
export type UpdateQuery = Command<'UpdateQuery', { readonly query: QueryDraft; readonly id: string }>
export type DeleteQuery = Command<'DeleteQuery', { readonly id: string }>
export type QueryCommand = CreateQuery | UpdateQuery | DeleteQuery
