// Leads from the page that a one-time link opens to the inbox, with the key that follows "#".
location.replace("/" + location.hash);
