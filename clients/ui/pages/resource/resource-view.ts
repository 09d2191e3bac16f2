// The declaration of the page of a resource kind.
import type { ComponentChildren, FunctionComponent } from 'preact'
import type { Query } from '../../../typescript/connection.js'
import type { Fields, Version } from '../../resources/kind.js'
import type { Place } from '../../session/tenancy.js'
import type { Target } from '../send.js'

export interface PanelProps {
  /** The version that the page shows. */
  readonly newest: Version
  /** Of this version. */
  readonly fields: Fields
  /** The key of the resource. */
  readonly id: string
  readonly place: Place
  /** Identifies the resource in the history: topic, key, ns, partition and node. */
  readonly named: Query
}

/** The resource and name of a permission, such as `key` and the name of a key. */
export interface PermissionTarget {
  readonly resource: string
  /** Empty for permissions without a name, such as `acl`. */
  readonly segment: string
}

export interface ResourceView {
  /** Beside the name of the resource. */
  readonly status?: (fields: Fields) => ComponentChildren
  /** Labelled values in the order of their importance; empty ones are omitted. */
  readonly summary?: (fields: Fields, place: Place) => readonly (readonly [string, ComponentChildren])[]
  /** The form that creates a resource. @param done receives its key */
  readonly New?: FunctionComponent<{ readonly target: Target; readonly done: (key: string) => void }>
  /** Buttons in the header. */
  readonly Actions?: FunctionComponent<PanelProps>
  /** Follows the labelled values on the first tab. */
  readonly Summary?: FunctionComponent<PanelProps>
  /** The permission that reading and writing the resource require. */
  readonly permission: (fields: Fields) => PermissionTarget
  /** Another permission that writing accepts in its place, in the default namespace. */
  readonly alternative?: (fields: Fields) => PermissionTarget
  /** Replaces the test of this permission. */
  readonly Permissions?: FunctionComponent<PanelProps>
  /** The use of its rights, on a tab of its own. */
  readonly Usage?: FunctionComponent<PanelProps>
}
