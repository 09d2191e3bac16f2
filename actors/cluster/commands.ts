// Commands on the cluster itself.
import type { Command } from '../command.js'

/** Gives the cluster its ID, unless it has one. */
export type IdentifyCluster = Command<'IdentifyCluster', { readonly newId: string }>
export type ClusterCommand = IdentifyCluster
