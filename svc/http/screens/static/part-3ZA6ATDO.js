import{a as o}from"./part-5QMYXXOZ.js";var r=t=>o("record.list","records",t);export{r as a};
