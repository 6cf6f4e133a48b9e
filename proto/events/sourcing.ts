interface AboutPart {
  partId: string
  ipOwnerOrgId: string
}

/** One event type for each command on a part, all with the same data. */
export interface PartEvent {
  type: `sourcing.part.${'created' | 'updated' | 'published' | 'archived' | 'unarchived' | 'deleted' | 'filesChanged'}`
  data: AboutPart
}

export interface UploadCreated {
  type: 'sourcing.upload.created'
  data: { uploadId: string; orgId: string }
}
