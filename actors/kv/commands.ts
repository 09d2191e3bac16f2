// Commands on KV entries (spec: state.md §4).
import type { Command } from '../command.js'
import type { KvContent } from './write.js'

export type SetKey = Command<'SetKey', KvContent>
export type CasKey = Command<'CasKey', KvContent & { readonly index: bigint }>
export type LockKey = Command<'LockKey', KvContent & { readonly session: string }>
export type UnlockKey = Command<'UnlockKey', KvContent & { readonly session: string }>
export type DeleteKey = Command<'DeleteKey', { readonly key: string }>
export type CasDeleteKey = Command<'CasDeleteKey', { readonly key: string; readonly index: bigint }>
export type DeleteKeyTree = Command<'DeleteKeyTree', { readonly prefix: string }>
export type KvCommand = SetKey | CasKey | LockKey | UnlockKey | DeleteKey | CasDeleteKey | DeleteKeyTree
