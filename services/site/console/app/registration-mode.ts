/** The page of a visitor, and of the link in its mail. */
export const REGISTRATION_PATH = '/console/register'

export const registrationMode = document.querySelector<HTMLMetaElement>('meta[name=registration]')?.content ?? 'closed'
