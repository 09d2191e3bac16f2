// Values that are read by rules of their own, and what the description of the API says of them.

/**
 * A keyword of our own beside those of JSON Schema: the forms that a value may have, where its schema takes anything because
 * other rules read it. Validators pass over it; the description shows the forms in place of the rest.
 */
export const FORMS = 'forms'
