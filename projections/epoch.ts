// Collections share their nodes with open views until they change. A view begins in the present state, and keeps it through a new epoch.

export const epoch = { current: 0 }

/** From now on every collection copies what it changes, so that the present views keep their state. Costs O(1). */
export const beginEpoch = (): void => {
  epoch.current++
}
